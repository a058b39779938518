import torch
from torch import nn

torch.manual_seed(0)
policy, critic = nn.Linear(3, 2), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=1e-2)
baseline = torch.zeros(())
for _ in range(4):
    states, gains = torch.randn(6, 3), torch.randn(6)
    draw = torch.distributions.Categorical(logits=policy(states))
    actions = draw.sample()
    values = critic(states).squeeze(1)
    baseline = 0.9 * baseline + 0.1 * values.mean()
    loss = -(draw.log_prob(actions) * (gains - baseline)).mean() + (values - gains).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
