import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.cell = nn.GRUCell(1, size)
        self.out = nn.Linear(size, 1)

    def forward(self, series):
        start = torch.zeros(series.shape[0], self.size)
        for value in series.unbind(1):
            h = self.cell(value[:, None], start)
        return self.out(h).squeeze(1)


torch.manual_seed(0)
model = Forecaster(8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(2):
    series = torch.randn(4, 12).cumsum(1)
    loss = nn.functional.mse_loss(model(series[:, :-1]), series[:, -1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
