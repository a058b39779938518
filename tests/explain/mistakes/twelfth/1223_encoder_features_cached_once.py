import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode, self.cache = nn.Linear(6, 4), nn.Linear(4, 6), {}

    def forward(self, key, x):
        if key not in self.cache:
            self.cache[key] = torch.tanh(self.encode(x))
        return self.decode(self.cache[key])


torch.manual_seed(0)
net, data = Cached(), dict(enumerate(torch.randn(3, 5, 6)))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(2):
    for key, x in data.items():
        loss = (net(key, x) - x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
