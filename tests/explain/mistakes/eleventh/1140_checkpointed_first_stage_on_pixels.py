import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
stage1 = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
stage2 = nn.Sequential(nn.Flatten(), nn.Linear(64, 3))
opt = torch.optim.Adam([*stage1.parameters(), *stage2.parameters()], lr=1e-3)


def forward(x):
    h = checkpoint(stage1, x, use_reentrant=True)
    return stage2(h)


for _ in range(2):
    x, y = torch.rand(4, 1, 8, 8), torch.randint(0, 3, (4,))
    loss = nn.functional.cross_entropy(forward(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
