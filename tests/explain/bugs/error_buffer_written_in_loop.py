"""Hidden states are written into one tensor that each step reads.

https://github.com/Seanny123/da-rnn/issues/14
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
cell = torch.nn.Linear(3, 3)
states = torch.zeros(4, 3)
for t in range(1, 4):
    states[t] = torch.tanh(cell(states[t - 1]))  # <-- culprit
loss = states.sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
