import torch
from torch import nn


def l2_penalty(z):
    return z.half().pow(2).sum()


torch.manual_seed(0)
encoder = nn.Linear(20, 64)
head = nn.Linear(64, 1)
opt = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=1e-3)
x = torch.randn(400, 20) * 6
z = encoder(x)
loss = head(z).pow(2).mean() + 1e-4 * l2_penalty(z).float()
opt.zero_grad()
loss.backward()
opt.step()
print(loss)
