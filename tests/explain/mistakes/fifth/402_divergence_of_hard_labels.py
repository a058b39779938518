import torch
from torch import nn


def divergence(p, q):
    return (p * (p / q).log()).sum(1).mean()


torch.manual_seed(0)
student = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
x = torch.randn(5, 6)
teacher = torch.tensor([[1.0, 0, 0], [0.2, 0.3, 0.5], [0, 1, 0], [0.1, 0.1, 0.8], [0.6, 0.4, 0]])
loss = divergence(teacher, student(x).softmax(1))
optimizer.zero_grad()
loss.backward()
optimizer.step()
