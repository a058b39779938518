import torch
from torch import nn

torch.manual_seed(0)
T = 20
alpha_bar = torch.cumprod(1 - torch.linspace(1e-3, 0.3, T), 0)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, t[:, None] / T], 1))


model = Denoiser()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
losses = []
for step in range(200):
    x0 = 0.1 * torch.randn(64, 2) + torch.tensor([1.0, -1.0])
    t = torch.randint(0, T, (64,))
    noise = torch.randn_like(x0)
    ab = alpha_bar[t][:, None]
    xt = ab.sqrt() * x0 + (1 - ab).sqrt() * noise
    loss = nn.functional.mse_loss(model(xt, t), torch.randn_like(x0))
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
final = sum(losses[-20:]) / 20
