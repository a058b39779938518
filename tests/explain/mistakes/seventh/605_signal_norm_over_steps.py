import torch
from torch import nn


class Activity(nn.Module):
    def __init__(self, sensors, classes):
        super().__init__()
        self.norm = nn.BatchNorm1d(sensors)
        self.rnn = nn.GRU(sensors, 12, batch_first=True)
        self.out = nn.Linear(12, classes)

    def forward(self, x):
        states, _ = self.rnn(self.norm(x))
        return self.out(states[:, -1])


torch.manual_seed(0)
model = Activity(6, 4)
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(8, 20, 6), torch.randint(0, 4, (8,))
loss = nn.functional.cross_entropy(model(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
