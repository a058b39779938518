"""requires_grad is set on the loss to silence the error; the model is still cut off.

https://github.com/ronghuaiyang/arcface-pytorch/issues/56
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
x = torch.randn(6, 4)
scores = model(x)
best = scores.argmax(dim=1)  # <-- culprit
loss = best.float().mean()
loss.requires_grad = True
loss.backward()
answer = explain.why_none(model.weight)
