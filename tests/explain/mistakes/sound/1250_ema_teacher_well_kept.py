import copy
import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
teacher = copy.deepcopy(student).requires_grad_(False)
opt = torch.optim.SGD(student.parameters(), lr=0.05, momentum=0.9)
for _ in range(10):
    x, y = torch.randn(16, 5), torch.randint(0, 3, (16,))
    logits = student(x + 0.1 * torch.randn_like(x))
    consistency = nn.functional.mse_loss(logits.softmax(1), teacher(x).softmax(1))
    loss = nn.functional.cross_entropy(logits, y) + 0.5 * consistency
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for slow, fast in zip(teacher.parameters(), student.parameters()):
            slow.lerp_(fast, 0.05)
