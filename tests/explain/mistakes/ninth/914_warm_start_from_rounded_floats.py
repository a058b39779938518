import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


def factor(step, warm=20):
    return min(step // warm, 1)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
schedule = LambdaLR(optimizer, factor)
rates = []
for _ in range(10):
    x, y = torch.randn(8, 6), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    rates.append(optimizer.param_groups[0]["lr"])
    optimizer.step()
    schedule.step()
