import copy
import torch
from torch import nn

torch.manual_seed(0)
q_net = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
target_net = copy.deepcopy(q_net)
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)


def td_loss(state, action, reward, after, done):
    value = q_net(state).gather(1, action.unsqueeze(1)).squeeze(1)
    best = target_net(after).max(1).values
    wanted = reward + 0.9 * (1 - done) * best
    return nn.functional.mse_loss(value, wanted)


for step in range(4):
    batch = (torch.randn(6, 3), torch.randint(0, 2, (6,)), torch.randn(6), torch.randn(6, 3), torch.zeros(6))
    loss = td_loss(*batch)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2 == 1:
        target_net.load_state_dict(q_net.state_dict())
print(target_net[0].weight.grad.norm())
