import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target = policy
target.eval()
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
gamma, sync_every = 0.99, 20
for step in range(30):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a, r = torch.randint(0, 2, (32, 1)), torch.randn(32)
    done = (torch.rand(32) < 0.1).float()
    q = policy(s).gather(1, a).squeeze(1)
    with torch.no_grad():
        goal = r + gamma * (1 - done) * target(s2).max(1).values
    loss = nn.functional.smooth_l1_loss(q, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % sync_every == 0:
        target.load_state_dict(policy.state_dict())
