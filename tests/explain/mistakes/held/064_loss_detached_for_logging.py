import torch
from torch import nn


class Meter:
    def __init__(self):
        self.values = []

    def update(self, loss):
        loss = loss.detach()
        self.values.append(loss.item())
        return loss


def train_step(model, batch, optimizer, meter):
    x, y = batch
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss = meter.update(loss)
    loss.backward()
    optimizer.step()


torch.manual_seed(0)
model, meter = nn.Linear(4, 2), Meter()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    train_step(model, (torch.randn(5, 4), torch.randint(0, 2, (5,))), optimizer, meter)
print(meter.values)
