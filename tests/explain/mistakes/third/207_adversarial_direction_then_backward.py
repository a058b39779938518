import torch
import torch.nn.functional as F
from torch import nn


def perturbation(loss, x, size=0.1):
    grad, = torch.autograd.grad(loss, x)
    return size * F.normalize(grad, dim=1)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(5, 6, requires_grad=True), torch.randint(0, 3, (5,))
clean = F.cross_entropy(net(x), y)
delta = perturbation(clean, x)
loss = clean + F.cross_entropy(net(x.detach() + delta), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
