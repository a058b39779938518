import torch
from torch import nn


class Small(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv1d(2, 6, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten())
        self.fc = nn.Linear(6, classes)

    def forward(self, x):
        return self.fc(self.trunk(x))


torch.manual_seed(0)
model = Small()
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
model.fc = nn.Linear(model.fc.in_features, 3)
initial = model.fc.weight.clone()
for _ in range(5):
    x, y = torch.randn(10, 2, 12), torch.randint(0, 3, (10,))
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
