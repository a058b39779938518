import torch
from torch import nn

torch.manual_seed(0)
decoder = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 10)).requires_grad_(False)
image = torch.rand(1, 10)
latent = torch.randn(1, 4, requires_grad=True) * 0.1
opt = torch.optim.Adam([latent], lr=0.05)
for step in range(20):
    loss = nn.functional.mse_loss(decoder(latent), image)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
