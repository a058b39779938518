import torch
from torch import nn


class ChurnNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Dropout(0.1), nn.Linear(14, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


torch.manual_seed(0)
net = ChurnNet()
criterion = nn.BCELoss()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
x = torch.randn(50, 7)
y = (x.sum(1) > 0).float()
for epoch in range(3):
    opt.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    opt.step()
