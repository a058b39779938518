import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(33, 7)
y = (x[:, :1] > 0).float()
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
net = nn.Sequential(
    nn.Linear(7, 16),
    nn.BatchNorm1d(16),
    nn.ReLU(),
    nn.Linear(16, 1),
)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
bce = nn.BCEWithLogitsLoss()
for epoch in range(2):
    for xb, yb in loader:
        loss = bce(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
