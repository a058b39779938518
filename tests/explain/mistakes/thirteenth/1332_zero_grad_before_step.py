import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(80, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
loader = DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
before = model[0].weight.detach().clone()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    running = 0.0
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.zero_grad()
        opt.step()
        running += loss.item()
    print(epoch, running / len(loader))
