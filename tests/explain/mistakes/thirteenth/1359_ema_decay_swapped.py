import copy
import torch
from torch import nn

torch.manual_seed(0)
student = nn.Linear(6, 3)
teacher = copy.deepcopy(student).requires_grad_(False)
init = student.weight.detach().clone()
opt = torch.optim.SGD(student.parameters(), lr=0.1)


@torch.no_grad()
def update_teacher(decay=0.999):
    for pt, ps in zip(teacher.parameters(), student.parameters()):
        pt.mul_(1 - decay).add_(ps, alpha=decay)


for step in range(10):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(1)
    clean = teacher(x)
    noisy = student(x + 0.2 * torch.randn_like(x))
    loss = nn.functional.cross_entropy(noisy, y) + nn.functional.mse_loss(noisy, clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
    update_teacher()
