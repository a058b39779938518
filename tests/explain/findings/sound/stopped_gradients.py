"""Gradients that are stopped on purpose: a Siamese network, quantised codes."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


class Siam(nn.Module):
    def __init__(s):
        super().__init__()
        s.f = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
        s.p = nn.Linear(4, 4)

    def forward(s, a, b):
        za, zb = (s.f(a), s.f(b))
        return (s.p(za), s.p(zb), za.detach(), zb.detach())


m = Siam()
o = torch.optim.SGD(m.parameters(), lr=0.05)
for _ in range(4):
    x = torch.randn(8, 6)
    pa, pb, za, zb = m(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    loss = (
        -(nn.functional.cosine_similarity(pa, zb).mean() + nn.functional.cosine_similarity(pb, za).mean()) / 2
    )
    o.zero_grad()
    loss.backward()
    o.step()
vq = nn.Embedding(8, 4)
enc = nn.Linear(6, 4)
dec = nn.Linear(4, 6)
ov = torch.optim.Adam([*vq.parameters(), *enc.parameters(), *dec.parameters()])
for _ in range(4):
    x = torch.randn(8, 6)
    z = enc(x)
    i = torch.cdist(z, vq.weight).argmin(1)
    q = vq(i)
    st = z + (q - z).detach()
    loss = (
        nn.functional.mse_loss(dec(st), x)
        + nn.functional.mse_loss(q, z.detach())
        + 0.25 * nn.functional.mse_loss(z, q.detach())
    )
    ov.zero_grad()
    loss.backward()
    ov.step()
