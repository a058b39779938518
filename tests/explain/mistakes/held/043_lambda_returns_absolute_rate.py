import torch
from torch import nn

BASE = 1e-3


def cosine(step, total=20):
    return BASE * 0.5 * (1 + torch.cos(torch.tensor(3.1416 * step / total)).item())


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=BASE)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, cosine)
x = torch.randn(32, 4)
y = 3 * x[:, :1]
for step in range(8):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(step, loss.item())
