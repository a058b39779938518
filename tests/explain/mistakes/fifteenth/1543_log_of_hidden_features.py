import torch
import torch.nn as nn


class LogFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 20)
        self.fc2 = nn.Linear(20, 3)

    def forward(self, x):
        t = self.fc1(x)
        t = torch.log(t)
        return self.fc2(t)


torch.manual_seed(0)
model = LogFeatures()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.rand(32, 12), torch.randint(0, 3, (32,))
for step in range(3):
    out = model(x)
    loss = nn.functional.cross_entropy(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
