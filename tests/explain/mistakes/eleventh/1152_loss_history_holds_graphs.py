import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
history = []


def log(value):
    history.append(value)
    if len(history) % 20 == 0:
        recent = torch.stack(history[-20:]).mean()
        print(f"{len(history)}: {float(recent):.4f}")


for step in range(60):
    x = torch.randn(32, 64)
    loss = nn.functional.mse_loss(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    log(loss)
