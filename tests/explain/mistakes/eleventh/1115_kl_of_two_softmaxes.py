import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
teacher, student = nn.Linear(10, 5), nn.Linear(10, 5)
teacher.requires_grad_(False)
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for _ in range(10):
    x = torch.randn(20, 10)
    p = F.softmax(teacher(x) / 3, dim=-1)
    q = F.softmax(student(x) / 3, dim=-1)
    loss = F.kl_div(q, p, reduction="batchmean")
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
