import torch
from torch import nn


def slow_down(optimizer):
    for group in optimizer.param_groups:
        group["lr"] *= 0.5


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
data = torch.utils.data.TensorDataset(torch.randn(48, 6), torch.randint(0, 2, (48,)))
for _ in range(2):
    for x, y in torch.utils.data.DataLoader(data, batch_size=4, shuffle=True):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slow_down(optimizer)
