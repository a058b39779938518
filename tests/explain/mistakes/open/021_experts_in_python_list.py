import torch
import torch.nn as nn


class MixtureOfExperts(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.router = nn.Linear(width, count)
        self.experts = [nn.Linear(width, 1) for _ in range(count)]

    def forward(self, x):
        weights = torch.softmax(self.router(x), dim=-1)
        outputs = torch.cat([expert(x) for expert in self.experts], dim=-1)
        return (weights * outputs).sum(-1)


torch.manual_seed(0)
model = MixtureOfExperts(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(20, 4)
y = x[:, 0] * 3 - x[:, 2]
for step in range(5):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
