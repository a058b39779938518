import torch
from torch import nn


class Transfer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Conv2d(1, 4, 3), nn.Linear(4, 2)

    def forward(self, x):
        features = torch.relu(self.body(x)).mean((2, 3))
        features.requires_grad = False
        return self.head(features)


torch.manual_seed(0)
model = Transfer()
optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-3)
loss = nn.functional.cross_entropy(model(torch.rand(3, 1, 6, 6)), torch.tensor([0, 1, 1]))
loss.backward()
