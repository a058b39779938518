import torch
from torch import nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 10))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
drawn = []


def batch():
    torch.manual_seed(0)
    clean = torch.sin(torch.rand(16, 1) * 6 + torch.arange(10) * 0.5)
    return clean, clean + 0.3 * torch.randn(16, 10)


for step in range(15):
    clean, noisy = batch()
    drawn.append(noisy.sum().item())
    loss = nn.functional.mse_loss(net(noisy), clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
