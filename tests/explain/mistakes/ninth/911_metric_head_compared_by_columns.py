import torch
from torch import nn


def correct(out, y):
    global hits
    hits = (out > 0).float() == y
    return hits.float().mean().item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
history = []
for _ in range(5):
    x = torch.randn(8, 4)
    y = (x.sum(1) > 0).float()
    out = model(x)
    loss = nn.functional.binary_cross_entropy_with_logits(out, y[:, None])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(correct(out, y))
