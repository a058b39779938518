import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(4, 16, nonlinearity="relu", batch_first=True)
out = nn.Linear(16, 1)
params = [*rnn.parameters(), *out.parameters()]
opt = torch.optim.SGD(params, lr=1e-4)
for _ in range(4):
    x = torch.randn(8, 30, 4) * 5
    y = x.sum((1, 2))[:, None]
    opt.zero_grad()
    nn.utils.clip_grad_norm_(params, 1.0)
    h, _ = rnn(x)
    loss = nn.functional.mse_loss(out(h[:, -1]), y)
    loss.backward()
    opt.step()
total = torch.stack([p.grad.norm() for p in params]).norm()
