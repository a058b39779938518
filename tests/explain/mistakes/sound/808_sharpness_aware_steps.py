import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for _ in range(4):
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    with torch.no_grad():
        norm = sum(p.grad.norm() ** 2 for p in net.parameters()).sqrt()
        moves = []
        for p in net.parameters():
            e = 0.05 * p.grad / (norm + 1e-12)
            p.add_(e)
            moves.append(e)
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), moves):
            p.sub_(e)
    optimizer.step()
