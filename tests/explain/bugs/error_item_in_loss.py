"""Losses are summed as numbers and wrapped again.

https://discuss.pytorch.org/t/getting-error-float-object-has-no-attribute-backward/98597
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
total = 0.0
for _ in range(3):
    total += model(torch.randn(2, 4)).square().mean().item()  # <-- culprit
loss = torch.tensor(total)
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
