"""A list of losses is made a tensor, which has no history.

https://github.com/laekov/fastmoe/issues/49
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
gates = [torch.nn.Linear(3, 2) for _ in range(2)]
x = torch.randn(4, 3)
loss_list = [gate(x).square().mean() for gate in gates]
balance = torch.tensor(loss_list)  # <-- culprit
loss = balance.sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
