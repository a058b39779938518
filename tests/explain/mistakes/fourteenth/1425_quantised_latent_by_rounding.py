import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(16, 4), nn.Linear(4, 16)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)


def quantise(z, levels=8):
    z = torch.tanh(z)
    return torch.round(z * levels) / levels


x = torch.randn(64, 4) @ torch.randn(4, 16)
for step in range(20):
    code = quantise(enc(x))
    loss = nn.functional.mse_loss(dec(code), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
