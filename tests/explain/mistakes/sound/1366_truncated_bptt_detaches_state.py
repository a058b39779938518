import torch
from torch import nn

torch.manual_seed(0)
rnn, head = nn.LSTM(1, 12, batch_first=True), nn.Linear(12, 1)
opt = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=1e-2)
wave = torch.sin(torch.arange(101) * 0.3).view(1, -1, 1)
state = None
for start in range(0, 100, 20):
    x, y = wave[:, start:start + 20], wave[:, start + 1:start + 21]
    out, state = rnn(x, state)
    state = tuple(s.detach() for s in state)
    loss = nn.functional.mse_loss(head(out), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
