import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for epoch in range(6):
    scheduler.step()
    for x, y in zip(torch.randn(2, 8, 4), torch.randint(0, 3, (2, 8))):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
