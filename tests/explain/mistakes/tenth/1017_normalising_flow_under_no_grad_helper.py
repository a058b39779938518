import torch
from torch import nn


@torch.no_grad()
def transform(flow, x):
    log_scale, shift = flow(x[:, :1]).chunk(2, dim=1)
    return x[:, 1:] * log_scale.exp() + shift, log_scale


torch.manual_seed(0)
flow = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 2))
prior_mean = nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([*flow.parameters(), prior_mean], lr=1e-3)
for _ in range(3):
    x = torch.randn(64, 2)
    z, logdet = transform(flow, x)
    nll = 0.5 * (z - prior_mean).pow(2).mean() - logdet.mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
