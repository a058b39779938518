import torch
from torch import nn


def contrast(a, b, temperature):
    similarity = torch.exp(a @ b.T / temperature)
    positive = similarity.diag()
    return -torch.log(positive / similarity.sum(1)).mean()


torch.manual_seed(0)
project = nn.Linear(6, 4)
optimizer = torch.optim.SGD(project.parameters(), lr=0.1)
views = torch.randn(8, 6), torch.randn(8, 6)
for step in range(2):
    a, b = (nn.functional.normalize(project(v), dim=1) for v in views)
    loss = contrast(a, b, 0.005)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
