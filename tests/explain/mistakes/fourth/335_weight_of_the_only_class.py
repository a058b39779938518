import torch
from torch import nn


def balanced(labels, classes):
    counts = torch.bincount(labels, minlength=classes)
    return ((len(labels) - counts) // len(labels)).float()


torch.manual_seed(0)
labels = torch.tensor([1, 1, 1, 0, 1, 2])
weights = balanced(labels, 3)
criterion = nn.CrossEntropyLoss(weight=weights)
net = nn.Linear(5, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loss = criterion(net(torch.randn(6, 5)), labels)
optimizer.zero_grad()
loss.backward()
print(loss)
