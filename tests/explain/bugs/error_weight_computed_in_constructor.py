"""A normalised weight is computed once, in the constructor, and used in each turn of the loop."""

from typing import Any

import pullback as torch
from pullback import explain


class Normalised(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v = torch.nn.Parameter(torch.randn(3, 3))
        self.w = self.v / self.v.norm()  # <-- culprit

    def forward(self, x: Any) -> Any:
        return x @ self.w


torch.manual_seed(0)
model = Normalised()
try:
    for _ in range(2):
        loss = model(torch.randn(4, 3)).square().mean()
        loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
