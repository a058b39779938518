import torch
from torch import nn
import torch.nn.functional as F


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x, T):
        return F.softmax(self.net(x) / T, dim=1)


def distillation_loss(student, teacher_logits, x, T=3.0):
    soft = F.softmax(teacher_logits / T, dim=1)
    return F.kl_div(student(x, T), soft, reduction="batchmean") * T * T


torch.manual_seed(0)
student, teacher = Student(), nn.Linear(4, 3)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
x = torch.randn(10, 4)
for _ in range(3):
    loss = distillation_loss(student, teacher(x).detach(), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
