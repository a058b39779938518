import torch
from torch import nn


class Agent:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
        self.target = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-3)

    def learn(self, s, a, r, s2):
        with torch.no_grad():
            goal = r + 0.99 * self.target(s2).max(1).values
        chosen = self.q(s).detach().gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(chosen, goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


torch.manual_seed(0)
agent = Agent()
agent.learn(torch.randn(6, 3), torch.randint(0, 2, (6,)), torch.randn(6), torch.randn(6, 3))
