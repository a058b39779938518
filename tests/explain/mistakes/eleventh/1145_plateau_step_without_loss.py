import torch
from torch import nn
from torch.optim.lr_scheduler import ReduceLROnPlateau, StepLR


def make(kind, opt):
    return {"step": StepLR, "plateau": ReduceLROnPlateau}[kind](opt, **({"step_size": 2} if kind == "step" else {}))


torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
sched = make("plateau", opt)
for epoch in range(3):
    x = torch.randn(10, 3)
    loss = (net(x) - x.mean(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
