import torch
import torch.nn as nn


class RootLinear(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, torch.sqrt(x), x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 16)
        self.act = RootLinear()
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        return self.out(self.act(self.fc(x)))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(32, 6), torch.randn(32, 1)
first = nn.functional.mse_loss(net(x), y).item()
for step in range(3):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
