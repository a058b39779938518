import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(8, 8)
        self.fc2 = nn.Linear(8, 8)
        self.fc3 = nn.Linear(8, 2)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc1(x))
        return self.fc3(x)


torch.manual_seed(0)
model = MLP()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(10, 8), torch.randint(0, 2, (10,))
for _ in range(2):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print({name: p.grad is None for name, p in model.named_parameters()})
