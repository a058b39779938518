import torch
from torch import nn


def network(dropout):
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 3))


def distil(student, teacher, x, heat=2.0):
    with torch.no_grad():
        wanted = (teacher(x) / heat).softmax(1)
    given = (student(x) / heat).log_softmax(1)
    return nn.functional.kl_div(given, wanted, reduction="batchmean") * heat**2


torch.manual_seed(0)
teacher, student = network(0.5), network(0.0)
teacher.requires_grad_(False)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for _ in range(4):
    x = torch.randn(8, 6)
    loss = distil(student, teacher, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
