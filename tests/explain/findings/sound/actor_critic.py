"""A policy and a value that train on one episode each turn."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
p = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
v = nn.Linear(4, 1)
o = torch.optim.Adam([*p.parameters(), *v.parameters()], lr=0.01)
for _ep in range(5):
    lp, vals, rs = ([], [], [])
    s = torch.randn(4)
    for t in range(6):
        d = torch.distributions.Categorical(logits=p(s))
        a = d.sample()
        lp.append(d.log_prob(a))
        vals.append(v(s).squeeze())
        rs.append(float(a.item() == t % 2))
        s = torch.randn(4)
    R = torch.tensor(rs).flip(0).cumsum(0).flip(0)
    V = torch.stack(vals)
    adv = R - V.detach()
    loss = -(torch.stack(lp) * adv).mean() + nn.functional.mse_loss(V, R)
    o.zero_grad()
    loss.backward()
    o.step()
