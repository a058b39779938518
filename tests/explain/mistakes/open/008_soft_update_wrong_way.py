import copy
import torch
from torch import nn


def soft_update(source, target, tau):
    with torch.no_grad():
        for p, q in zip(source.parameters(), target.parameters()):
            q.copy_(tau * p + (1 - tau) * q)


torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 2))
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
for step in range(3):
    state, action = torch.randn(8, 4), torch.randint(0, 2, (8, 1))
    reward, after = torch.randn(8, 1), torch.randn(8, 4)
    with torch.no_grad():
        target = reward + 0.99 * target_net(after).max(1, keepdim=True)[0]
    loss = nn.functional.smooth_l1_loss(q_net(state).gather(1, action), target)
    soft_update(target_net, q_net, 0.01)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
