import torch
from torch import nn

torch.manual_seed(0)
beta = torch.linspace(1e-4, 0.02, 50)
keep = torch.cumprod(1 - beta, 0)
net = nn.Sequential(nn.Linear(3, 32), nn.SiLU(), nn.Linear(32, 2))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(8):
    x0 = torch.randn(32, 2) * 0.5 + 1
    t = torch.randint(0, 50, (32,))
    noise = torch.randn_like(x0)
    a = keep[t][:, None]
    xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
    predicted = net(torch.cat([xt, t[:, None] / 50], dim=1))
    loss = nn.functional.mse_loss(predicted, noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
