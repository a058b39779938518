import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 20), nn.ReLU())
        self.classifier = nn.Linear(20, classes)

    def forward(self, x):
        return self.classifier(self.body(x))


torch.manual_seed(0)
model = Backbone()
for p in model.parameters():
    p.requires_grad = False
model.fc = nn.Linear(20, 3)
optimizer = torch.optim.Adam(model.fc.parameters(), lr=1e-3)
x, y = torch.randn(8, 12), torch.randint(0, 3, (8,))
for step in range(2):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
