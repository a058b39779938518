import copy
import torch
from torch import nn


def update_teacher(student, teacher, decay=0.99):
    for s, t in zip(student.parameters(), teacher.parameters()):
        t.mul_(decay).add_(s, alpha=1 - decay)


torch.manual_seed(0)
student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
teacher = copy.deepcopy(student)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
for x in torch.randn(3, 10, 6):
    with torch.no_grad():
        target = teacher(x).softmax(1)
    loss = nn.functional.cross_entropy(student(x + 0.1), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_teacher(student, teacher)
