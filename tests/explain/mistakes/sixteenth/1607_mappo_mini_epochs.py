import torch
import torch.nn as nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 3))
critic = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=3e-4)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
mini_epochs = 4

obs = torch.randn(64, 6)
acts = torch.randint(0, 3, (64,))
returns = torch.randn(64, 1)
with torch.no_grad():
    old_logp = torch.distributions.Categorical(logits=actor(obs)).log_prob(acts)
advantages = returns - critic(obs)

for k in range(mini_epochs):
    dist = torch.distributions.Categorical(logits=actor(obs))
    log_ratio = dist.log_prob(acts) - old_logp
    ratio = log_ratio.exp()
    actor_loss = -(ratio * advantages.squeeze(1)).mean() - 0.01 * dist.entropy().mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()

    value_loss = (critic(obs) - returns).pow(2).mean()
    critic_opt.zero_grad()
    value_loss.backward()
    critic_opt.step()
