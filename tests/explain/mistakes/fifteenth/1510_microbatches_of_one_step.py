import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(10, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
accum = 4
x = torch.rand(32, 10)
y = 5 + x.sum(dim=1, keepdim=True)
norms = []
for step in range(3):
    for micro in range(accum):
        optimizer.zero_grad(set_to_none=True)
        xb = x[micro * 8:(micro + 1) * 8]
        yb = y[micro * 8:(micro + 1) * 8]
        loss = nn.functional.mse_loss(model(xb), yb)
        (loss / accum).backward()
        norms.append(model.weight.grad.norm().item())
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(norms)
