import torch
from torch import nn


class Heteroscedastic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 16), nn.Tanh())
        self.mu, self.log_sigma = nn.Linear(16, 1), nn.Linear(16, 1)

    def forward(self, x):
        h = self.net(x)
        return self.mu(h), self.log_sigma(h)


torch.manual_seed(0)
model = Heteroscedastic()
x = torch.randn(20, 3)
y = x.sum(1)
opt = torch.optim.Adam(model.parameters(), 1e-2)
for i in range(10):
    mu, log_sigma = model(x)
    z = (y - mu) / log_sigma.exp()
    loss = (0.5 * z ** 2 + log_sigma).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
