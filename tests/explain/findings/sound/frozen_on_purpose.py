import copy

import pullback as torch
from pullback import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(6, 8), nn.Tanh())
for p in body.parameters():
    p.requires_grad = False
head = nn.Linear(8, 3)
teacher = copy.deepcopy(head).requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
optimizer.zero_grad()
for k in range(8):
    features = body(torch.randn(5, 6))
    with torch.no_grad():
        target = teacher(features).softmax(1)
    (nn.functional.cross_entropy(head(features), target) / 4).backward()
    if (k + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
