import torch
from torch import nn


class SensorNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 8)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        hidden, _ = self.rnn(x)
        last = hidden[:, -1]
        return self.out(last), last


torch.manual_seed(0)
model = SensorNet()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(3):
    readings, label = torch.randn(6, 20, 3), torch.randint(0, 2, (6,))
    logits, last = model(readings)
    loss = nn.functional.cross_entropy(logits, label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
