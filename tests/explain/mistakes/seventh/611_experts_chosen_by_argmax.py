import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self, size, count):
        super().__init__()
        self.gate = nn.Linear(size, count)
        self.experts = nn.ModuleList(nn.Linear(size, size) for _ in range(count))

    def route(self, x):
        return self.gate(x).softmax(-1).argmax(-1)

    def forward(self, x):
        chosen, out = self.route(x), torch.zeros_like(x)
        for k, expert in enumerate(self.experts):
            rows = chosen == k
            out[rows] = expert(x[rows])
        return out


torch.manual_seed(0)
model = Experts(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    x, y = torch.randn(10, 4), torch.randn(10, 4)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
