import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.MSELoss(reduction='none')
opt = torch.optim.Adam(model.parameters(), lr=1e-2)

x = torch.randn(25, 4)
y = x.prod(1, keepdim=True)
age = torch.arange(25).float().unsqueeze(1)
weight = torch.exp(-age / 10)

for epoch in range(3):
    per_item = criterion(model(x), y)
    loss = weight * per_item
    opt.zero_grad()
    loss.backward()
    opt.step()
