"""The loss is computed from hard labels, which argmax gives.

https://php.bkmy88.com/faq/1835025.html
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
x = torch.randn(6, 4)
target = torch.tensor([0, 1, 2, 0, 1, 2])
logits = model(x)
predictions = logits.argmax(dim=1).float()  # <-- culprit
loss = torch.nn.functional.mse_loss(predictions, target.float())
try:
    loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
