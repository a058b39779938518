import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


def warmup(steps):
    return lambda step: min(1, (step + 1) // steps)


torch.manual_seed(0)
model = nn.Linear(5, 2)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = LambdaLR(optimizer, warmup(100))
for step in range(20):
    x, y = torch.randn(6, 5), torch.randint(0, 2, (6,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
