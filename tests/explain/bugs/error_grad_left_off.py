"""Recording is switched off for the validation and never on again.

https://github.com/kuprel/min-dalle/pull/24
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
x = torch.randn(6, 4)
torch.set_grad_enabled(False)  # <-- culprit
validation = model(x).square().mean()
loss = model(x).square().mean()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
finally:
    torch.set_grad_enabled(True)
