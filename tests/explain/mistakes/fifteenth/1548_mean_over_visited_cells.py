import torch
import torch.nn as nn

torch.manual_seed(0)
encoder = nn.Linear(5, 8)
head = nn.Linear(8, 1)
optimizer = torch.optim.SGD(list(encoder.parameters()) + list(head.parameters()), lr=0.1)
points = torch.randn(6, 10, 5)
mask = torch.rand(6, 10) > 0.5
mask[3] = False
target = torch.randn(6, 1)

for step in range(2):
    feats = torch.tanh(encoder(points))
    gate = mask.unsqueeze(2).float()
    sums = (feats * gate).sum(dim=1)
    counts = gate.sum(dim=1)
    means = sums / counts
    means = torch.where(counts == 0, torch.zeros_like(means), means)
    loss = nn.functional.mse_loss(head(means), target)
    print(step, loss.item())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
