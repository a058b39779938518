import torch
from torch import nn


def within_class_spread(z, y):
    spread = 0.0
    for label in y.unique():
        group = z[y == label]
        spread = spread + group.var(dim=0).mean()
    return spread


torch.manual_seed(0)
embed = nn.Linear(6, 4)
optimizer = torch.optim.Adam(embed.parameters())
x, y = torch.randn(7, 6), torch.tensor([0, 0, 1, 1, 2, 0, 1])
z = embed(x)
loss = within_class_spread(z, y)
optimizer.zero_grad()
loss.backward()
print(loss)
