import torch
from torch import nn


class SparseLinear(nn.Linear):
    def __init__(self, inputs, outputs, threshold):
        super().__init__(inputs, outputs)
        self.threshold = threshold

    def forward(self, x):
        self.weight[self.weight.abs() < self.threshold] = 0.0
        return super().forward(x)


torch.manual_seed(0)
net = nn.Sequential(SparseLinear(6, 10, 0.1), nn.ReLU(), SparseLinear(10, 2, 0.1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(net(torch.randn(4, 6)), torch.tensor([0, 1, 1, 0]))
loss.backward()
optimizer.step()
