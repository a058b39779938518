import torch
from torch import nn


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 3))

    def forward(self, x):
        return self.net(x)


def wanted(votes):
    share = votes / votes.sum(1, keepdim=True)
    return torch.logit(share)


torch.manual_seed(0)
model = Student()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
votes = torch.tensor([[3.0, 1, 1], [2, 2, 1], [5, 0, 0], [1, 3, 1]])
loss = (model(torch.randn(4, 5)) - wanted(votes)).pow(2).mean()
optimizer.zero_grad()
loss.backward()
optimizer.step()
