import torch
import torch.nn as nn


class DoubleDQN:
    def __init__(self, model, gamma=0.95, lr=0.01):
        self.policy_net = model
        self.target_net = model
        self.target_net.load_state_dict(self.policy_net.state_dict())
        self.gamma = gamma
        self.optimizer = torch.optim.Adam(self.policy_net.parameters(), lr=lr)

    def update(self, s, a, r, s2, done):
        q = self.policy_net(s).gather(1, a)
        best = self.policy_net(s2).argmax(1, keepdim=True)
        next_q = self.target_net(s2).gather(1, best).detach()
        loss = nn.functional.mse_loss(q, r + self.gamma * next_q * (1 - done))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(1)
agent = DoubleDQN(nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2)))
drift = []
for frame in range(60):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a, r = torch.randint(0, 2, (32, 1)), torch.rand(32, 1)
    done = (torch.rand(32, 1) < 0.1).float()
    loss = agent.update(s, a, r, s2, done)
    drift.append((agent.policy_net(s) - agent.target_net(s)).abs().max().item())
    if frame % 20 == 19:
        agent.target_net.load_state_dict(agent.policy_net.state_dict())
print(loss, drift)
