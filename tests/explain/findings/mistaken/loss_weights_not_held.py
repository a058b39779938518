import pullback as torch
from pullback import nn


class Weighted(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.scales = nn.Parameter(torch.zeros(count))

    def forward(self, *terms):
        return (torch.exp(-self.scales) * torch.stack(terms) + self.scales).sum()


torch.manual_seed(0)
net, join = nn.Linear(6, 2), Weighted(2)
opt = torch.optim.SGD(net.parameters(), lr=0.05)  # <-- culprit
for _ in range(5):
    x = torch.randn(16, 6)
    out = net(x)
    total = join((out[:, 0] - x.sum(1)).square().mean(), (out[:, 1] - x[:, 0]).abs().mean())
    opt.zero_grad()
    total.backward()
    opt.step()
