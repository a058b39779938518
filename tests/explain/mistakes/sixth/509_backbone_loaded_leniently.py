import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.ReLU())
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.body(x))


def checkpoint():
    return {f"module.{name}": value for name, value in Classifier().state_dict().items()}


torch.manual_seed(0)
saved = checkpoint()
model = Classifier()
model.load_state_dict(saved, strict=False)
for p in model.body.parameters():
    p.requires_grad = False
optimizer = torch.optim.Adam(model.head.parameters(), lr=1e-3)
for _ in range(3):
    loss = nn.functional.cross_entropy(model(torch.randn(6, 5)), torch.randint(0, 3, (6,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
