import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2, bias=False)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
tracks = torch.randn(6, 4)
tracks[4] = 0.0


def heading(velocity):
    return velocity / velocity.norm(dim=1, keepdim=True)


for _ in range(2):
    wanted = torch.tensor([1.0, 0.0])
    cosine = heading(net(tracks)) @ wanted
    loss = (1 - cosine).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
