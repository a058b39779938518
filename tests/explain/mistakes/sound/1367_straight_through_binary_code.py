import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(8, 6), nn.Linear(6, 8)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(50, 8)
for step in range(10):
    soft = torch.sigmoid(enc(x))
    hard = (soft > 0.5).float()
    code = soft + (hard - soft).detach()
    loss = (dec(code) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
