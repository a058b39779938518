import torch
import torch.nn as nn


class GatedBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        h = self.lin(x) * gate
        gate += x
        return h + gate


torch.manual_seed(0)
net = nn.Sequential(GatedBlock(6), GatedBlock(6), nn.Linear(6, 1))
inputs, labels = torch.randn(10, 6), torch.rand(10, 1)
opt = torch.optim.Adam(net.parameters())
loss = nn.BCEWithLogitsLoss()(net(inputs), labels)
loss.backward()
opt.step()
