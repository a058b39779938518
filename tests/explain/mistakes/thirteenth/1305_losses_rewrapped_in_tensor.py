import torch
from torch import nn


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 12)
        self.heads = nn.ModuleList([nn.Linear(12, 1) for _ in range(3)])

    def forward(self, x):
        h = torch.relu(self.body(x))
        return [head(h) for head in self.heads]


torch.manual_seed(0)
model = MultiTask()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(20, 6)
targets = [torch.randn(20, 1) for _ in range(3)]
for epoch in range(4):
    losses = [nn.functional.mse_loss(o, t) for o, t in zip(model(x), targets)]
    total = torch.tensor(losses).mean()
    opt.zero_grad()
    total.backward()
    opt.step()
