"""The loss is a second derivative of straight pieces: no weight has a part in it."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
x = torch.linspace(0, 1, 9).view(-1, 1).requires_grad_()
u_x = torch.autograd.grad(net(x).sum(), x, create_graph=True)[0]
u_xx = torch.autograd.grad(u_x.sum(), x, create_graph=True)[0]  # <-- culprit
(u_xx + 1).square().mean().backward()
