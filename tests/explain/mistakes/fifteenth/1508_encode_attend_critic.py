import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4))
critic = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(list(actor.parameters()) + list(critic.parameters()), lr=1e-3)

for episode in range(20):
    state = torch.randn(64, 6)
    dist = Categorical(logits=actor(state))
    action = dist.sample()
    reward = (action == state[:, :4].argmax(dim=1)).float()
    value = critic(state).squeeze(-1)

    advantage = reward - value
    policy_loss = -(advantage * dist.log_prob(action)).mean()
    value_loss = (reward - value).pow(2).mean()
    loss = policy_loss + value_loss

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(policy_loss.item(), value_loss.item())
