import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 3))
value = nn.Sequential(nn.Linear(4, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=3e-4, eps=1e-5)
s, ret = torch.randn(64, 4), torch.randn(64)
with torch.no_grad():
    dist = Categorical(logits=policy(s))
    a = dist.sample()
    old, base = dist.log_prob(a), value(s).squeeze(1)
adv = (ret - base - (ret - base).mean()) / ((ret - base).std() + 1e-8)
for _ in range(4):
    for part in torch.randperm(64).split(16):
        dist = Categorical(logits=policy(s[part]))
        ratio = (dist.log_prob(a[part]) - old[part]).exp()
        surrogate = torch.min(ratio * adv[part], ratio.clamp(0.8, 1.2) * adv[part]).mean()
        loss = -surrogate + 0.5 * (value(s[part]).squeeze(1) - ret[part]).pow(2).mean() - 0.01 * dist.entropy().mean()
        opt.zero_grad(); loss.backward(); opt.step()
