import torch
import torch.nn as nn
import torch.nn.functional as F


class PrunedLinear(nn.Linear):
    def __init__(self, fan_in, fan_out, keep):
        super().__init__(fan_in, fan_out)
        scores = self.weight.detach().abs().flatten()
        self.register_buffer("pruned", self.weight.detach().abs() < scores.quantile(1 - keep))

    def forward(self, x):
        self.weight[self.pruned] = 0.0
        return F.linear(x, self.weight, self.bias)


torch.manual_seed(0)
model = nn.Sequential(PrunedLinear(6, 8, 0.3), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 6), torch.randn(16, 1)
for _ in range(3):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
