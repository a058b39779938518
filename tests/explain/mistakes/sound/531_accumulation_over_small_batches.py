import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=3)
every = 4
optimizer.zero_grad(set_to_none=True)
for step in range(12):
    x, y = torch.randn(4, 6), torch.randint(0, 4, (4,))
    loss = nn.functional.cross_entropy(model(x), y) / every
    loss.backward()
    if (step + 1) % every == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        schedule.step()
