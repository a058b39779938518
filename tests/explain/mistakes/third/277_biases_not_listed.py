import torch
from torch import nn


def groups(net, decay):
    weights = [p for name, p in net.named_parameters() if name.endswith("weight")]
    return [{"params": weights, "weight_decay": decay}]


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer = torch.optim.AdamW(groups(net, 0.01), lr=1e-2)
x, y = torch.randn(16, 6), torch.randn(16, 1) + 5
for step in range(4):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
