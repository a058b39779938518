import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(5, 8), nn.ReLU()), nn.Linear(8, 2)
groups = [{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters()}]
optimizer = torch.optim.Adam(groups, lr=1e-3)
for epoch in range(4):
    if epoch == 2:
        optimizer.param_groups[0]["lr"] = 1e-4
    x, y = torch.randn(6, 5), torch.randint(0, 2, (6,))
    loss = nn.functional.cross_entropy(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
