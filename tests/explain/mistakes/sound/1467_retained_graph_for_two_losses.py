import torch
from torch import nn

torch.manual_seed(0)
trunk, a, b = nn.Linear(6, 10), nn.Linear(10, 1), nn.Linear(10, 3)
opt = torch.optim.SGD([*trunk.parameters(), *a.parameters(), *b.parameters()], lr=0.05)
x = torch.randn(30, 6)
ya, yb = x[:, :1], x[:, :3].argmax(1)
for step in range(8):
    h = torch.tanh(trunk(x))
    loss_a = nn.functional.mse_loss(a(h), ya)
    loss_b = nn.functional.cross_entropy(b(h), yb)
    opt.zero_grad()
    loss_a.backward(retain_graph=True)
    loss_b.backward()
    opt.step()
