import torch
from torch import nn


class Rates(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.raw = nn.Parameter(start.clone())

    def unconstrained(self):
        return torch.log(torch.exp(self.raw) - 1)

    def forward(self, counts):
        return (self.unconstrained() - counts).pow(2).mean()


rates = Rates(torch.tensor([0.5, 2.0, 120.0, 9.0]))
optimizer = torch.optim.SGD(rates.parameters(), lr=0.1)
loss = rates(torch.tensor([0.0, 2.0, 100.0, 9.0]))
optimizer.zero_grad()
loss.backward()
print(loss)
