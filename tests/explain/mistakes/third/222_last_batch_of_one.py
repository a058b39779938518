import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(33, 6), torch.randint(0, 2, (33,)))
loader = DataLoader(data, batch_size=8, shuffle=True)
net = nn.Sequential(nn.Linear(6, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.Adam(net.parameters())
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
