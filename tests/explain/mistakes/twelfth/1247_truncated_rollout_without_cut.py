import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def advance(state, force):
    return state + 0.1 * model(torch.cat([state, force], dim=1))


state = torch.randn(5, 2)
for segment in range(3):
    loss = 0.0
    for k in range(4):
        state = advance(state, torch.randn(5, 1))
        loss = loss + state.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
