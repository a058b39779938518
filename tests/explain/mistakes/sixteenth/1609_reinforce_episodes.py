import torch
import torch.nn as nn
from torch.distributions import Categorical

class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 24)
        self.affine2 = nn.Linear(24, 2)
        self.saved_log_probs = []
        self.rewards = []

    def forward(self, x):
        return torch.softmax(self.affine2(torch.relu(self.affine1(x))), dim=-1)

torch.manual_seed(0)
policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

def finish_episode():
    R = torch.tensor(policy.rewards).flip(0).cumsum(0).flip(0)
    policy_loss = torch.stack([-lp * r for lp, r in zip(policy.saved_log_probs, R)]).sum()
    optimizer.zero_grad()
    policy_loss.backward()
    optimizer.step()

for episode in range(3):
    state = torch.randn(4)
    for t in range(10):
        m = Categorical(policy(state))
        action = m.sample()
        policy.saved_log_probs.append(m.log_prob(action))
        policy.rewards.append(1.0 if action.item() == int(state[0] > 0) else 0.0)
        state = torch.randn(4)
    finish_episode()
