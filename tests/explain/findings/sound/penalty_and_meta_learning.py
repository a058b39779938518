"""A gradient penalty, and a step through a step."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
C = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
oc = torch.optim.Adam(C.parameters(), lr=0.001)
for _i in range(4):
    r, f = (torch.randn(6, 2), torch.randn(6, 2))
    a = torch.rand(6, 1)
    x = (a * r + (1 - a) * f).requires_grad_()
    (g,) = torch.autograd.grad(C(x).sum(), x, create_graph=True)
    loss = C(f).mean() - C(r).mean() + 10 * ((g.norm(2, dim=1) - 1) ** 2).mean()
    oc.zero_grad()
    loss.backward()
    oc.step()
model = nn.Linear(2, 1)
meta = torch.optim.SGD(model.parameters(), lr=0.1)
for _i in range(3):
    x, y = (torch.randn(5, 2), torch.randn(5, 1))
    ws = list(model.parameters())
    inner = nn.functional.mse_loss(nn.functional.linear(x, *ws), y)
    gs = torch.autograd.grad(inner, ws, create_graph=True)
    fast = [w - 0.1 * g for w, g in zip(ws, gs)]
    outer = nn.functional.mse_loss(nn.functional.linear(torch.randn(5, 2), *fast), y)
    meta.zero_grad()
    outer.backward()
    meta.step()
