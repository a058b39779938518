"""A student starts as a copy of its teacher and is compared with it on the same input."""

import copy

import pullback as torch

torch.manual_seed(0)
student = torch.nn.Linear(3, 2)
teacher = copy.deepcopy(student)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(8, 3, requires_grad=True)
for _ in range(4):
    optimizer.zero_grad()
    loss = (student(x) - teacher(x)).square().mean()  # <-- culprit
    loss.backward()
    optimizer.step()
