"""A recurrent layer in a Sequential gives a tuple to the next one."""

import pullback as torch
from pullback import explain

net = torch.nn.Sequential(
    torch.nn.GRU(3, 4),  # <-- culprit
    torch.nn.Linear(4, 1),
)
try:
    net(torch.randn(5, 2, 3))
except TypeError as error:
    answer = explain.why_error(error)
