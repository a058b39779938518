"""The hidden state leads back into the turn before.

https://learn.biosrag.com/ai/rnn-training-4.html
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
cell = torch.nn.Linear(4, 2)
hidden = torch.zeros(1, 2)
try:
    for _ in range(3):
        x = torch.randn(1, 2)
        hidden = torch.tanh(cell(torch.cat([x, hidden], dim=1)))  # <-- culprit
        loss = hidden.square().sum()
        loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
