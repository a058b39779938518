import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 5)
y = x.sum(1, keepdim=True)
ACC = 4
opt.zero_grad()
for epoch in range(10):
    for i, (xb, yb) in enumerate(zip(x.chunk(8), y.chunk(8))):
        loss = nn.functional.mse_loss(model(xb), yb) / ACC
        loss.backward()
        if (i + 1) % ACC == 0:
            opt.step()
            opt.zero_grad()
