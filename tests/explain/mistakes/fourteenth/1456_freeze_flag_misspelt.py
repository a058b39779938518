import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(12, 24), nn.ReLU())
for q in backbone.parameters():
    q.require_grad = False
model = nn.Sequential(backbone, nn.Linear(24, 3))
before = backbone[0].weight.detach().clone()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(45, 12)
y = torch.arange(45) % 3
for epoch in range(5):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print('moved by', (backbone[0].weight - before).abs().max().item())
