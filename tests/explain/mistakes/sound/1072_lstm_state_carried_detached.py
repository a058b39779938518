import torch
from torch import nn

torch.manual_seed(0)
lstm, out = nn.LSTM(2, 10, batch_first=True), nn.Linear(10, 2)
opt = torch.optim.Adam([*lstm.parameters(), *out.parameters()], lr=5e-3)
wave = torch.stack([torch.sin(torch.linspace(0, 9, 49)), torch.cos(torch.linspace(0, 9, 49))], 1)[None]
state = None
for k in range(0, 48, 12):
    x, y = wave[:, k:k + 12], wave[:, k + 1:k + 13]
    h, state = lstm(x, state)
    state = tuple(s.detach() for s in state)
    loss = nn.functional.mse_loss(out(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
