import torch
from torch import nn


class Forecast(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.out = nn.LSTM(2, 8, batch_first=True), nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1]).squeeze(1)


def robust(error, limit=1.0):
    return error.pow(2).clamp(max=limit).mean()


torch.manual_seed(0)
model = Forecast()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    x = 40 + torch.randn(5, 12, 2)
    loss = robust(model(x) - x[:, -1, 0])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
