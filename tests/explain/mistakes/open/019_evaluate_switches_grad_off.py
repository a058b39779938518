import torch
import torch.nn as nn


def evaluate(model, x, y):
    model.eval()
    torch.set_grad_enabled(False)
    correct = (model(x).argmax(1) == y).float().mean()
    return correct.item()


def train_epoch(model, x, y, optimizer):
    model.train()
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(9, 4), torch.randint(0, 3, (9,))
for epoch in range(3):
    print("loss", train_epoch(model, x, y, optimizer))
    print("accuracy", evaluate(model, x, y))
