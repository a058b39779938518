import torch
from torch import nn

torch.manual_seed(0)
trunk = nn.Sequential(nn.Conv1d(2, 6, 3), nn.BatchNorm1d(6), nn.ReLU(), nn.AdaptiveAvgPool1d(1))
trunk.requires_grad_(False)
model = nn.Sequential(trunk, nn.Flatten(), nn.Linear(6, 2))
mean0 = trunk[1].running_mean.clone()
opt = torch.optim.Adam(model[2].parameters(), lr=1e-2)
for epoch in range(5):
    model.train()
    x = 4 + 3 * torch.randn(16, 2, 20)
    y = (x[:, 0].mean(1) > 4).long()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print((trunk[1].running_mean - mean0).abs().max().item())
