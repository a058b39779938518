import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH = 16


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, 12, batch_first=True)
        self.head = nn.Linear(12, 1)

    def forward(self, x):
        h0 = torch.zeros(1, BATCH, 12)
        c0 = torch.zeros_like(h0)
        out, _ = self.lstm(x, (h0, c0))
        return self.head(out[:, -1])


torch.manual_seed(0)
series = torch.sin(torch.arange(61) * 0.2)
X = torch.stack([series[i:i + 10] for i in range(50)]).unsqueeze(-1)
Y = series[10:60].unsqueeze(-1)
loader = DataLoader(TensorDataset(X, Y), batch_size=BATCH)
net = Forecaster()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for xb, yb in loader:
    loss = nn.functional.mse_loss(net(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
