import torch
from torch import nn

torch.manual_seed(0)
net, seen, EVERY = nn.Linear(5, 1), [], 4
opt = torch.optim.SGD(net.parameters(), lr=0.0 + 1e-3)
micro = [(torch.randn(4, 5), torch.randn(4, 1)) for _ in range(8)]
for k, (x, y) in enumerate(micro):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y) / EVERY
    loss.backward()
    seen.append(net.weight.grad.clone())
    if k == 3:
        error = net(x) - y
        last_only = (error * x).mean(0, keepdim=True).detach() * 2 / EVERY
    if (k + 1) % EVERY == 0:
        opt.step()
