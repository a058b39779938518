import torch
from torch.distributions import Normal

torch.manual_seed(0)
data = 2.5 * torch.randn(200) + 5.0

mu = torch.tensor(0.0, requires_grad=True)
log_scale = torch.tensor(0.0, requires_grad=True)
scale = log_scale.exp()


def neg_log_prob(obs):
    return -Normal(mu, scale).log_prob(obs).mean()


optimizer = torch.optim.Adam([mu, scale], lr=0.05)
mus, losses = [], []
for _ in range(300):
    loss = neg_log_prob(data)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    mus.append(mu.item())
print(mu.item(), scale.item())
