import torch
import torch.nn.functional as F
from torch import nn


def geodesic(a, b):
    cosine = (F.normalize(a, dim=-1) * F.normalize(b, dim=-1)).sum(-1)
    return torch.acos(cosine.clamp(-1, 1))


torch.manual_seed(0)
net = nn.Linear(3, 3, bias=False)
with torch.no_grad():
    net.weight.copy_(torch.eye(3))
normals = torch.eye(3).repeat(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = geodesic(net(normals), normals).mean()
opt.zero_grad()
loss.backward()
opt.step()
