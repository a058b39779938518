import copy
import torch
from torch import nn

torch.manual_seed(0)
meta = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.SGD(meta.parameters(), lr=0.01)
for it in range(4):
    opt.zero_grad()
    for task in range(3):
        phase = torch.rand(1) * 3
        fast = copy.deepcopy(meta)
        inner = torch.optim.SGD(fast.parameters(), lr=0.05)
        x = torch.rand(10, 1) * 6
        inner.zero_grad()
        (fast(x) - torch.sin(x + phase)).pow(2).mean().backward()
        inner.step()
        xq = torch.rand(10, 1) * 6
        loss = (fast(xq) - torch.sin(xq + phase)).pow(2).mean()
        grads = torch.autograd.grad(loss, list(fast.parameters()))
        for p, g in zip(meta.parameters(), grads):
            p.grad = g.clone() if p.grad is None else p.grad + g
    opt.step()
