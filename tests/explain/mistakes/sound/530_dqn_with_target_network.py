import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(online).requires_grad_(False)
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
for step in range(6):
    state, after = torch.randn(16, 4), torch.randn(16, 4)
    action, reward = torch.randint(0, 2, (16,)), torch.randn(16)
    q = online(state).gather(1, action[:, None]).squeeze(1)
    with torch.no_grad():
        best = target(after).max(1).values
    loss = nn.functional.smooth_l1_loss(q, reward + 0.99 * best)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(online.parameters(), 10.0)
    optimizer.step()
    if step % 3 == 2:
        target.load_state_dict(online.state_dict())
