import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
model = nn.Linear(5, 2)
x = torch.randn(6, 5, requires_grad=True)
y = torch.randint(0, 2, (6,))
noisy = x + 0.1 * torch.randn(6, 5)
loss = nn.functional.cross_entropy(model(noisy), y)
loss.backward()
step = noisy.grad
print("adversarial step:", step)
