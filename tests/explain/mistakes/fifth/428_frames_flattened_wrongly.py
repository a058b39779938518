import torch
from torch import nn


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 4, 3)
        self.fc = nn.Linear(4 * 6, 3)

    def forward(self, x):
        h = torch.relu(self.conv(x))
        return self.fc(h.view(-1, 4 * 6))


torch.manual_seed(0)
model = Clip()
x, y = torch.randn(6, 2, 10), torch.randint(0, 3, (6,))
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
