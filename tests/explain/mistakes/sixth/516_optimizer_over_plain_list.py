import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = [nn.Linear(sizes[k], sizes[k + 1]) for k in range(len(sizes) - 1)]

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


torch.manual_seed(0)
model = Deep([4, 8, 8, 1])
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.randn(5, 4)
loss = model(x).pow(2).mean()
loss.backward()
optimizer.step()
