import torch
import torch.nn as nn
from torch.optim import lr_scheduler

torch.manual_seed(0)
prev, curr = torch.rand(400, 16), torch.rand(400, 16)
bbox = torch.cat([prev[:, :2] + curr[:, :2], prev[:, 2:4] * curr[:, 2:4]], 1) * 4

net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
loss_fn = nn.L1Loss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
scheduler = lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.1)
log = []
for epoch in range(15):
    running = 0.0
    for i in range(0, 400, 10):
        optimizer.zero_grad()
        output = net(torch.cat([prev[i:i + 10], curr[i:i + 10]], 1))
        loss = loss_fn(output, bbox[i:i + 10])
        loss.backward()
        optimizer.step()
        scheduler.step()
        running += loss.item()
    log.append(running / 40)
    print("epoch", epoch, "loss", log[-1])
