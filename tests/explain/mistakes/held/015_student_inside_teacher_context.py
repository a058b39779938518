import torch
import torch.nn as nn
import torch.nn.functional as F


def distil(student, teacher, batches, optimizer, T=2.0):
    teacher.eval()
    for x in batches:
        with torch.no_grad():
            wanted = F.softmax(teacher(x) / T, dim=-1)
            found = F.log_softmax(student(x) / T, dim=-1)
        loss = F.kl_div(found, wanted, reduction="batchmean") * T * T
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
teacher = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 3))
student = nn.Linear(5, 3)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
distil(student, teacher, [torch.randn(8, 5) for _ in range(3)], optimizer)
