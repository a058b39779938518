"""zero_grad is called between backward and reading the gradients.

https://discuss.pytorch.org/t/model-zero-grad-or-optimizer-zero-grad/28426
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.randn(5, 4)).square().mean()
loss.backward()
optimizer.zero_grad()  # <-- culprit
answer = explain.why_none(model.weight)
