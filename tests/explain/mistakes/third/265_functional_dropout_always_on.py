import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, 20), nn.Linear(20, 3)

    def forward(self, x):
        return self.fc2(F.dropout(torch.relu(self.fc1(x)), 0.5))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(20, 6), torch.randint(0, 3, (20,))
for epoch in range(4):
    net.train()
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
net.eval()
with torch.no_grad():
    print(F.cross_entropy(net(x), y).item(), F.cross_entropy(net(x), y).item())
