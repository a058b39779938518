import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.LBFGS(net.parameters(), lr=0.01, max_iter=5)
x = torch.randn(30, 2)
y = x @ torch.tensor([[2.0], [-3.0]]) + 1
calls = []


def closure():
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    calls.append(net.weight.grad.norm().item())
    return loss


for k in range(3):
    opt.step(closure)
