import torch
from torch import nn


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 10), nn.Linear(10, 1)

    def forward(self, year_and_position):
        h = torch.sigmoid(self.first(year_and_position))
        return self.second(h).squeeze(1)


torch.manual_seed(0)
net = Energy()
with torch.no_grad():
    net.first.weight.uniform_(0.5, 1.0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
year = torch.randint(1990, 2020, (7, 1)).float()
for _ in range(2):
    x = torch.cat([year, torch.rand(7, 2)], 1)
    loss = nn.functional.mse_loss(net(x), torch.rand(7))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
