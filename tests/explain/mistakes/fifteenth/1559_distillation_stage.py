import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher_net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 5))
student_net = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 5))
optimizer = torch.optim.Adam(student_net.parameters(), lr=0.01)
images = torch.randn(64, 8)
losses = []
for it in range(60):
    with torch.no_grad():
        teacher = F.softmax(teacher_net(images), dim=1)
    student = F.softmax(student_net(images), dim=1)
    loss = F.kl_div(student, teacher, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0], losses[-1])
