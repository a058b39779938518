import torch
import torch.nn as nn
import torch.nn.functional as F


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(9, 16, 5)
        self.pool = nn.MaxPool1d(2)
        self.fc1 = nn.Linear(16 * 14, 32)
        self.fc2 = nn.Linear(32, 6)

    def forward(self, x):
        out = self.pool(F.relu(self.conv1(x))).flatten(1)
        out = self.fc2(F.relu(self.fc1(out)))
        out = F.softmax(out, dim=1)
        return out


torch.manual_seed(1)
target = torch.randint(0, 6, (120,))
proto = torch.randn(6, 9, 32)
sample = proto[target] + 0.3 * torch.randn(120, 9, 32)
model = Network()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
for e in range(40):
    output = model(sample)
    loss = criterion(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
