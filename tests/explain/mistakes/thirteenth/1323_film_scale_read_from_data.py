import torch
from torch import nn


class FiLM(nn.Module):
    def __init__(self, cond, ch):
        super().__init__()
        self.gamma = nn.Linear(cond, ch)
        self.beta = nn.Linear(cond, ch)

    def forward(self, x, cond):
        scale = 1 + self.gamma(cond).data
        shift = self.beta(cond)
        return x * scale[:, :, None, None] + shift[:, :, None, None]


torch.manual_seed(0)
film = FiLM(5, 4)
conv = nn.Conv2d(4, 1, 3, padding=1)
opt = torch.optim.Adam(list(film.parameters()) + list(conv.parameters()), lr=1e-3)
x, cond, y = torch.randn(3, 4, 8, 8), torch.randn(3, 5), torch.randn(3, 1, 8, 8)
for step in range(3):
    loss = (conv(film(x, cond)) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
