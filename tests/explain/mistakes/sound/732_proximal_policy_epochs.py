import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)
for _ in range(2):
    states, gains = torch.randn(16, 4), torch.randn(16)
    with torch.no_grad():
        before = Categorical(logits=actor(states))
        actions = before.sample()
        old = before.log_prob(actions)
        advantage = gains - critic(states).squeeze(1)
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    for _ in range(3):
        now = Categorical(logits=actor(states))
        ratio = (now.log_prob(actions) - old).exp()
        gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        value = nn.functional.mse_loss(critic(states).squeeze(1), gains)
        loss = -gain.mean() + 0.5 * value - 0.01 * now.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
        optimizer.step()
