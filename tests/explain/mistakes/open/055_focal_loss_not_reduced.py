import torch
import torch.nn as nn


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma
        self.ce = nn.CrossEntropyLoss(reduction="none")

    def forward(self, logits, target):
        ce = self.ce(logits, target)
        pt = torch.exp(-ce)
        return (1 - pt) ** self.gamma * ce


torch.manual_seed(0)
model = nn.Linear(6, 4)
criterion = FocalLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 6), torch.randint(0, 4, (8,))
loss = criterion(model(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
