import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

torch.manual_seed(0)
EPOCHS = 3
batches = [(torch.randn(8, 5), torch.randint(0, 2, (8,))) for _ in range(6)]
net = nn.Linear(5, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
sched = OneCycleLR(opt, max_lr=0.1, total_steps=EPOCHS)
for epoch in range(EPOCHS):
    for x, y in batches:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
