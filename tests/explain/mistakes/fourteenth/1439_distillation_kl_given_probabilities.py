import torch
from torch import nn
import torch.nn.functional as F


def distill(student, teacher, t=2.0):
    p = F.softmax(student / t, dim=1)
    q = F.softmax(teacher / t, dim=1)
    return F.kl_div(p, q, reduction='batchmean') * t * t


torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 3)).eval()
student = nn.Linear(6, 3)
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for step in range(20):
    x = torch.randn(32, 6)
    with torch.no_grad():
        soft = 3 * teacher(x)
    loss = distill(student(x), soft)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
