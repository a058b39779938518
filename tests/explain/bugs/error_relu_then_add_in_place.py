"""A residual is added in place to the result of a relu.

https://github.com/pytorch/vision/issues/807
"""

import pullback as torch
from pullback import explain


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)
        self.relu = torch.nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.linear(x))
        out += x  # <-- culprit
        return out


torch.manual_seed(0)
loss = Block()(torch.randn(2, 3)).sum()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
