import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 4))
target = online
opt = torch.optim.Adam(online.parameters(), lr=1e-2)
for step in range(10):
    s, s2, r = torch.randn(16, 3), torch.randn(16, 3), torch.ones(16)
    a = torch.randint(0, 4, (16, 1))
    with torch.no_grad():
        goal = r + 0.95 * target(s2).amax(1)
    q = online(s).gather(1, a).squeeze(1)
    loss = nn.functional.huber_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        target.load_state_dict(online.state_dict())
