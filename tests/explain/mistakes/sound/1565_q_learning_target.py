import copy
import torch
import torch.nn as nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target_q = copy.deepcopy(q)
optimizer = torch.optim.Adam(q.parameters(), lr=3e-3)
states, nexts = torch.randn(128, 4), torch.randn(128, 4)
actions = torch.randint(0, 2, (128, 1))
rewards = (states[:, 0] > 0).float() * (1 - 2 * actions[:, 0].float())
done = (torch.rand(128) < 0.3).float()
losses = []
for step in range(60):
    picked = q(states).gather(1, actions).squeeze(1)
    with torch.no_grad():
        best = target_q(nexts).max(dim=1).values
        goal = rewards + 0.9 * (1 - done) * best
    loss = nn.functional.smooth_l1_loss(picked, goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 19:
        target_q.load_state_dict(q.state_dict())
    losses.append(loss.item())
print(losses[0], losses[-1])
