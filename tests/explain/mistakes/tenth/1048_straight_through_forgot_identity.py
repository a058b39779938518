import torch
from torch import nn


class HashCode(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(bits))

    def forward(self, h):
        return self.scale * torch.sign(h)


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 8))
code, decoder = HashCode(8), nn.Linear(8, 12)
groups = [{"params": m.parameters()} for m in (encoder, code, decoder)]
opt = torch.optim.Adam(groups, lr=1e-3)
for _ in range(3):
    x = torch.randn(20, 12)
    loss = (decoder(code(encoder(x))) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
