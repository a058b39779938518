import torch
from torch import nn

torch.manual_seed(0)
field = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(field.parameters(), lr=1e-3)


def laplacian(points):
    (g,) = torch.autograd.grad(field(points).sum(), points, create_graph=True)
    parts = [torch.autograd.grad(g[:, k].sum(), points, create_graph=True)[0][:, k] for k in (0, 1)]
    return parts[0] + parts[1]


points = torch.rand(50, 2, requires_grad=True)
source = torch.sin(3 * points.detach()).prod(1)
for _ in range(2):
    lap = laplacian(points)
    loss = (lap - source).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
