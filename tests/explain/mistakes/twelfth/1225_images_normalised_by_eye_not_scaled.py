import torch
from torch import nn

torch.manual_seed(0)
images = torch.randint(60, 256, (12, 1, 6, 6)).float()
labels = torch.randint(0, 2, (12,))
net = nn.Sequential(nn.Flatten(), nn.Linear(36, 8), nn.Tanh(), nn.Linear(8, 2))
nn.init.uniform_(net[1].weight, 0.1, 0.5)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)


def step(x, y):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


print([step(images, labels) for _ in range(4)])
