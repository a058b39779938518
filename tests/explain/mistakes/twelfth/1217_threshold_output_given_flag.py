import torch
from torch import nn

torch.manual_seed(0)
mask_net = nn.Sequential(nn.Linear(10, 10), nn.Sigmoid())
classifier = nn.Linear(10, 2)
opt = torch.optim.Adam([*mask_net.parameters(), *classifier.parameters()], lr=1e-3)


def select(x):
    keep = (mask_net(x) > 0.5).float()
    return keep.requires_grad_() * x


for _ in range(3):
    x, y = torch.randn(8, 10), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(classifier(select(x)), y) + 0.01 * select(x).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
