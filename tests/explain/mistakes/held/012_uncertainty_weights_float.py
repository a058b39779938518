import math
import torch
import torch.nn as nn


class UncertaintyWeighting(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(tasks))

    def forward(self, losses):
        total = 0.0
        for loss, s in zip(losses, self.log_var.tolist()):
            total = total + math.exp(-s) * loss + s
        return total


torch.manual_seed(0)
trunk, heads = nn.Linear(4, 6), nn.ModuleList([nn.Linear(6, 1), nn.Linear(6, 1)])
weighting = UncertaintyWeighting(2)
optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters(), *weighting.parameters()], lr=0.01)
x, targets = torch.randn(9, 4), [torch.randn(9, 1), 10 * torch.randn(9, 1)]
for _ in range(3):
    h = torch.relu(trunk(x))
    loss = weighting([nn.functional.mse_loss(head(h), t) for head, t in zip(heads, targets)])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(weighting.log_var, weighting.log_var.grad)
