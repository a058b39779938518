import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(torch.bfloat16)
with torch.no_grad():
    for p in model.parameters():
        p.copy_(p.sign() * 0.5 + p.sign() * p.abs().clamp(max=0.1))
start = model[0].weight.detach().clone()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)


def batches(count):
    for _ in range(count):
        x = torch.randn(16, 8, dtype=torch.bfloat16)
        yield x, x.mean(1, keepdim=True)


for x, y in batches(5):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
