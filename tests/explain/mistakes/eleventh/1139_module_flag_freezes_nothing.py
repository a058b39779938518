import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(6, 10), nn.Tanh())
body.requires_grad = False
head = nn.Linear(10, 3)
before = body[0].weight.detach().clone()
model = nn.Sequential(body, head)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(5):
    x, y = torch.randn(12, 6), torch.randint(0, 3, (12,))
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
assert any(p.grad is not None for p in body.parameters())
