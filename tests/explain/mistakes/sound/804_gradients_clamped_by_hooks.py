import torch
from torch import nn

torch.manual_seed(0)
rnn, out = nn.LSTM(4, 8, batch_first=True), nn.Linear(8, 1)
params = [*rnn.parameters(), *out.parameters()]
for p in params:
    p.register_hook(lambda g: g.clamp(-0.01, 0.01))
optimizer = torch.optim.Adam(params, lr=1e-3)
for _ in range(4):
    x = torch.randn(6, 10, 4)
    loss = nn.functional.mse_loss(out(rnn(x)[0][:, -1]), x.sum((1, 2))[:, None])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
