import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, d, experts):
        super().__init__()
        self.gate = nn.Linear(d, experts)
        self.experts = nn.ModuleList(nn.Linear(d, 1) for _ in range(experts))

    def weights(self, x):
        powers = torch.exp(self.gate(x))
        return powers / powers.sum(dim=1, keepdim=True)

    def forward(self, x):
        outputs = torch.cat([expert(x) for expert in self.experts], dim=1)
        return (self.weights(x) * outputs).sum(1)


torch.manual_seed(0)
model = Router(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(8, 4), torch.randn(8)
x[5] *= 2000
loss = nn.functional.mse_loss(model(x), y)
optimizer.zero_grad()
loss.backward()
print(loss.item(), model.gate.weight.grad)
