import torch
from torch import nn


class CentreLoss(nn.Module):
    def __init__(self, classes, width, rate=0.5):
        super().__init__()
        self.register_buffer("centre", torch.zeros(classes, width))
        self.rate = rate

    def forward(self, z, labels):
        loss = (z - self.centre[labels]).pow(2).sum(1).mean()
        means = torch.stack([z[labels == c].mean(0) for c in range(len(self.centre))])
        self.centre = self.centre + self.rate * (means - self.centre)
        return loss


torch.manual_seed(0)
embed, centres = nn.Linear(5, 3), CentreLoss(2, 3)
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
for step in range(3):
    x, labels = torch.randn(6, 5), torch.arange(6) % 2
    loss = centres(torch.tanh(embed(x)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
