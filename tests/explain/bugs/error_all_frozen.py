"""All parameters are frozen, as for inference.

https://github.com/mazurowski-lab/finetune-SAM/issues/26
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
for parameter in model.parameters():
    parameter.requires_grad_(False)  # <-- culprit
x = torch.randn(5, 4)
loss = model(x).square().mean()
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
