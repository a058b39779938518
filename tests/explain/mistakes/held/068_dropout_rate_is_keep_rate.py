import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.first = nn.Linear(6, 12)
        self.drop = nn.Dropout(p=keep)
        self.last = nn.Linear(12, 2)

    def forward(self, x):
        h = torch.relu(self.first(x))
        return self.last(self.drop(h))


torch.manual_seed(0)
model = Net(keep=1.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(10, 6), torch.randint(0, 2, (10,))
for epoch in range(4):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
print(model.first.weight.grad.abs().sum())
