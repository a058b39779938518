import torch
from torch import nn


class Last(nn.Module):
    def forward(self, seq):
        return seq[:, -1]


torch.manual_seed(0)
model = nn.Sequential(
    nn.LSTM(6, 10, batch_first=True),
    Last(),
    nn.Linear(10, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(12, 9, 6), torch.randn(12, 1)
for epoch in range(2):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
