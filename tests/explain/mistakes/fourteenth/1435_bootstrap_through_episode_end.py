import copy
import torch
from torch import nn

GAMMA = 0.9
torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
frozen = copy.deepcopy(q_net)
opt = torch.optim.Adam(q_net.parameters(), lr=2e-3)


def td_target(r, done, s2):
    with torch.no_grad():
        best = frozen(s2).max(1).values
    return r + GAMMA * best


for step in range(40):
    s, s2 = torch.rand(32, 4), torch.rand(32, 4)
    a = torch.randint(0, 2, (32,))
    done = (torch.rand(32) < 0.5).float()
    r = torch.ones(32)
    q = q_net(s)[torch.arange(32), a]
    loss = nn.functional.mse_loss(q, td_target(r, done, s2))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        frozen.load_state_dict(q_net.state_dict())
