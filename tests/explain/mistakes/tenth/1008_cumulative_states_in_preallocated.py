import torch
from torch import nn

torch.manual_seed(0)
A = nn.Parameter(torch.randn(4, 4) * 0.3)
B = nn.Parameter(torch.randn(4, 2) * 0.3)
opt = torch.optim.Adam([A, B], lr=1e-2)


def simulate(controls):
    states = torch.zeros(len(controls) + 1, 4)
    for t, u in enumerate(controls):
        states[t + 1] = torch.tanh(A @ states[t] + B @ u)
    return states


goal = torch.ones(4)
for epoch in range(5):
    trajectory = simulate(torch.randn(6, 2))
    cost = (trajectory[1:] - goal).square().sum()
    opt.zero_grad()
    cost.backward()
    opt.step()
