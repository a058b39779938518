import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
projector = nn.Sequential(
    nn.Linear(10, 16, bias=False),
    nn.BatchNorm1d(16),
    nn.ReLU(),
    nn.Linear(16, 3),
)
x, y = torch.randn(33, 10), torch.randint(0, 3, (33,))
loader = DataLoader(TensorDataset(x, y), batch_size=8)
opt = torch.optim.SGD(projector.parameters(), lr=0.05)
for epoch in range(2):
    for a, b in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(projector(a), b).backward()
        opt.step()
