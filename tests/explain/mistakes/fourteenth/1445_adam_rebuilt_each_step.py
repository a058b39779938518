import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 20), nn.SiLU(), nn.Linear(20, 1))
x = torch.randn(50, 5)
y = (x * torch.arange(5.0)).sum(1, keepdim=True)


def train_step(xb, yb):
    opt = torch.optim.Adam(model.parameters(), lr=5e-2)
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(xb), yb)
    loss.backward()
    opt.step()
    return loss.item(), opt


for epoch in range(60):
    for i in range(0, 50, 25):
        loss, opt = train_step(x[i:i + 25], y[i:i + 25])
print(loss)
