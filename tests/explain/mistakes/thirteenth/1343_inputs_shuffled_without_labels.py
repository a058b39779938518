import torch
from torch import nn

torch.manual_seed(0)
n = 200
x = torch.randn(n, 2)
y = (x[:, 0] + x[:, 1] > 0).long()
x_all, y_all = x.clone(), y.clone()
model = nn.Linear(2, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(10):
    x, y = x[torch.randperm(n)], y[torch.randperm(n)]
    for i in range(0, n, 50):
        loss = nn.functional.cross_entropy(model(x[i:i + 50]), y[i:i + 50])
        opt.zero_grad()
        loss.backward()
        opt.step()
acc = (model(x_all).argmax(1) == y_all).float().mean().item()
print(acc)
