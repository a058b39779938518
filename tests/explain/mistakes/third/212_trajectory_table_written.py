import torch
from torch import nn


class NeuralODE(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.field = nn.Sequential(nn.Linear(size, 16), nn.Tanh(), nn.Linear(16, size))

    def forward(self, start, times):
        states = torch.zeros(len(times), *start.shape)
        states[0] = start
        for k in range(1, len(times)):
            h = times[k] - times[k - 1]
            states[k] = states[k - 1] + h * self.field(states[k - 1])
        return states


torch.manual_seed(0)
model = NeuralODE(2)
times = torch.linspace(0, 1, 6)
path = model(torch.randn(5, 2), times)
loss = (path[-1] - 1).pow(2).mean()
loss.backward()
print(loss.item())
