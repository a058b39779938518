import warnings
import torch
from torch import nn

warnings.simplefilter("ignore")


def mlp():
    return nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))


torch.manual_seed(0)
members = [mlp()] * 5
optimizer = torch.optim.SGD([p for m in members for p in m.parameters()], lr=0.01)
for step in range(4):
    x = torch.randn(12, 4)
    outputs = torch.stack([m(x) for m in members])
    loss = (outputs - x[:, :1]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(outputs.std(0).mean().item())
