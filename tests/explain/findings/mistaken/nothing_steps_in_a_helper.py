import pullback as torch
from pullback import nn


class Curve(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.tensor([1.5]))
        self.b = nn.Parameter(torch.tensor([-0.5]))

    def forward(self, t):
        return self.a * torch.sin(self.b * t)


def fit(curve, t, heights, turns):
    for _ in range(turns):
        curve.zero_grad()
        error = (curve(t) - heights).square().mean()
        error.backward()  # <-- culprit


points = torch.linspace(0, 3, 12)
fit(Curve(), points, torch.sin(points), 6)
