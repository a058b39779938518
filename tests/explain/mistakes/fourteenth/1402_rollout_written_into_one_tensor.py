import torch
from torch import nn

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(f.parameters(), lr=1e-2)
dt = 0.1


def euler(x0, steps):
    traj = torch.zeros(steps, *x0.shape)
    traj[0] = x0
    for t in range(steps - 1):
        traj[t + 1] = traj[t] + dt * f(traj[t])
    return traj


angle = torch.arange(20) * dt
truth = torch.stack([angle.cos(), angle.sin()], 1).unsqueeze(1)
for epoch in range(3):
    loss = (euler(truth[0], 20) - truth).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
