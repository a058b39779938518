import torch
from torch import nn


class Heteroscedastic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, 24), nn.Tanh())
        self.mean = nn.Linear(24, 1)
        self.var = nn.Linear(24, 1)

    def forward(self, x):
        h = self.body(x)
        mean, var = self.mean(h), self.var(h)
        return mean, var


torch.manual_seed(0)
net = Heteroscedastic()
loss_fn = nn.GaussianNLLLoss()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
x = torch.linspace(-2, 2, 80).unsqueeze(1)
y = x.sin() + 0.1 * x.abs() * torch.randn_like(x)
for epoch in range(5):
    mean, var = net(x)
    loss = loss_fn(mean, y, var)
    opt.zero_grad()
    loss.backward()
    opt.step()
