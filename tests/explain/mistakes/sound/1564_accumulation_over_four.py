import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
x = torch.randn(64, 10)
y = x[:, :3].sum(dim=1, keepdim=True)
accum = 4
losses = []
for step in range(60):
    optimizer.zero_grad(set_to_none=True)
    total = 0.0
    for micro in range(accum):
        xb, yb = x[micro * 16:(micro + 1) * 16], y[micro * 16:(micro + 1) * 16]
        loss = nn.functional.mse_loss(model(xb), yb) / accum
        loss.backward()
        total += loss.item()
    optimizer.step()
    losses.append(total)
print(losses[0], losses[-1])
