import pullback as torch
from pullback import nn


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.Parameter(torch.zeros(2))
        self.fixed = nn.Parameter(torch.ones(2), requires_grad=False)

    def forward(self, *terms):
        return (self.fixed * torch.exp(-self.scales) * torch.stack(terms) + self.scales).sum()


torch.manual_seed(0)
net, join = nn.Linear(6, 2), Weighted()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(5):
    x = torch.randn(16, 6)
    out = net(x)
    total = join((out[:, 0] - x.sum(1)).square().mean(), (out[:, 1] - x[:, 0]).abs().mean())
    opt.zero_grad()
    join.zero_grad()
    total.backward()
    opt.step()
    with torch.no_grad():
        join.scales -= 0.01 * join.scales.grad
