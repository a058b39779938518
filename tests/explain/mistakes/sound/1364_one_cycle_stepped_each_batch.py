import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
x = torch.randn(60, 4)
y = (x[:, 0] > 0).long()
EPOCHS, BATCHES = 5, 6
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, total_steps=EPOCHS * BATCHES)
for epoch in range(EPOCHS):
    order = torch.randperm(60)
    for idx in order.split(10):
        loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
