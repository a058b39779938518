import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.linspace(-3, 3, 100).unsqueeze(1)
y = torch.sin(2 * x)
loader = DataLoader(TensorDataset(x, y), batch_size=10)
model = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
seen = set()
for step in range(60):
    xb, yb = next(iter(loader))
    seen.update(xb.flatten().tolist())
    loss = nn.functional.mse_loss(model(xb), yb)
    opt.zero_grad()
    loss.backward()
    opt.step()
print('all', nn.functional.mse_loss(model(x), y).item())
