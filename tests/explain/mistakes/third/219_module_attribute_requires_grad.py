import torch
from torch import nn


def freeze(module):
    module.requires_grad = False
    module.eval()


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU())
head = nn.Linear(16, 4)
freeze(encoder)
model = nn.Sequential(encoder, head)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(12, 10), torch.randint(0, 4, (12,))
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
