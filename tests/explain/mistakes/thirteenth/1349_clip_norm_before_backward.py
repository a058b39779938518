import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(1, 8, batch_first=True)
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.05)
x = torch.randn(16, 25, 1)
y = 5 * x.sum(1)
for step in range(5):
    out, _ = rnn(x)
    loss = (head(out[:, -1]) - y).pow(2).mean()
    opt.zero_grad()
    torch.nn.utils.clip_grad_norm_(rnn.parameters(), 0.1)
    loss.backward()
    norm = torch.stack([p.grad.norm() for p in rnn.parameters()]).norm()
    opt.step()
    print(step, loss.item(), norm.item())
