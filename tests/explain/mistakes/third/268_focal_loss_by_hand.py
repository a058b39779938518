import torch
from torch import nn


class Focal(nn.Module):
    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, y):
        p = torch.sigmoid(logits)
        positive = y * (1 - p) ** self.gamma * torch.log(p)
        negative = (1 - y) * p ** self.gamma * torch.log(1 - p)
        return -(positive + negative).mean()


torch.manual_seed(0)
head = nn.Linear(3, 1)
x = torch.randn(6, 3) * 100
y = torch.tensor([[0.0], [1], [0], [1], [0], [0]])
loss = Focal(2.0)(head(x), y)
loss.backward()
print(loss)
