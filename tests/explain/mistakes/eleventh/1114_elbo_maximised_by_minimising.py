import torch
from torch import nn
from torch.distributions import Bernoulli

torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(2, 8)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=0.05)


def elbo(x):
    mu, log_std = enc(x).chunk(2, -1)
    z = mu + log_std.exp() * torch.randn_like(mu)
    likelihood = Bernoulli(logits=dec(z)).log_prob(x).sum(-1)
    kl = (0.5 * (mu ** 2 + (2 * log_std).exp() - 1) - log_std).sum(-1)
    return (likelihood - kl).mean()


data, trace = torch.bernoulli(torch.full((32, 8), 0.3)), []
for _ in range(30):
    loss = elbo(data)
    opt.zero_grad()
    loss.backward()
    opt.step()
    trace.append(loss.item())
