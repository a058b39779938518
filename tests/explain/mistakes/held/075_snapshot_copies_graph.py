import copy
import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.last_output = None

    def forward(self, x):
        x = torch.tanh(self.fc(x))
        self.last_output = x
        return x


def train(model, data, optimizer):
    best, snapshot = float("inf"), None
    for x in data:
        loss = (model(x) - x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < best:
            best, snapshot = loss.item(), copy.deepcopy(model)
    return snapshot


torch.manual_seed(0)
model = Tracker(4)
train(model, torch.randn(3, 5, 4), torch.optim.SGD(model.parameters(), lr=0.1))
