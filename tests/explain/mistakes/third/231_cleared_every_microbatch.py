import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
accumulate, steps = 4, 0
micro = [(torch.randn(2, 6), torch.randint(0, 2, (2,))) for _ in range(8)]
for k, (x, y) in enumerate(micro):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y) / accumulate
    loss.backward()
    if (k + 1) % accumulate == 0:
        optimizer.step()
        steps += 1
