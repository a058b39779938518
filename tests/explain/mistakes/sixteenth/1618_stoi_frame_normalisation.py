import torch
import torch.nn as nn

EPS = 1e-8


def row_normalize(x):
    x = x - x.mean(-1, keepdim=True)
    norm = torch.sqrt(torch.sum(x ** 2, dim=-1, keepdim=True))
    return x / (norm + EPS)


def neg_correlation(est, target):
    return -(row_normalize(est) * row_normalize(target)).sum(-1).mean()


torch.manual_seed(0)
enhancer = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32), nn.Sigmoid())
optimizer = torch.optim.Adam(enhancer.parameters(), lr=1e-3)
clean = torch.randn(16, 32)
clean[12:] = 0.0
noisy = clean + 0.3 * torch.randn(16, 32)
noisy[12:] = 0.0
for step in range(3):
    est = enhancer(noisy) * noisy
    loss = neg_correlation(est, clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
