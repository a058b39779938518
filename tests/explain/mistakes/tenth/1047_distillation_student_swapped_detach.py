import torch
import torch.nn.functional as F
from torch import nn


def distil(student_logits, teacher_logits, T=2.0):
    soft = F.softmax(teacher_logits / T, dim=1)
    log_q = F.log_softmax(student_logits.detach() / T, dim=1)
    return F.kl_div(log_q, soft, reduction="batchmean") * T * T


torch.manual_seed(0)
teacher = nn.Linear(6, 4).requires_grad_(False)
student = nn.Sequential(nn.Linear(6, 3), nn.ReLU(), nn.Linear(3, 4))
opt = torch.optim.Adam(student.parameters(), lr=1e-3)
for _ in range(3):
    x = torch.randn(16, 6)
    loss = distil(student(x), teacher(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
