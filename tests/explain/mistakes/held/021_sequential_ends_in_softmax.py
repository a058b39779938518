import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_net(sizes, final):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    layers[-1] = final
    return nn.Sequential(*layers)


def run_epoch(net, loader, criterion, optimizer):
    total = 0.0
    for features, label in loader:
        optimizer.zero_grad()
        loss = criterion(net(features), label)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


torch.manual_seed(0)
net = make_net([6, 12, 4], nn.Softmax(dim=1))
x, y = torch.randn(20, 6), torch.randint(0, 4, (20,))
loader = DataLoader(TensorDataset(x, y), batch_size=10)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(3):
    print(run_epoch(net, loader, nn.CrossEntropyLoss(), optimizer))
