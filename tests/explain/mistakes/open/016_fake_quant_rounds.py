import torch
import torch.nn as nn
import torch.nn.functional as F


class QuantLinear(nn.Linear):
    def __init__(self, fan_in, fan_out, bits=4):
        super().__init__(fan_in, fan_out)
        self.levels = 2 ** (bits - 1) - 1

    def forward(self, x):
        scale = self.weight.detach().abs().max() / self.levels
        weight = torch.round(self.weight / scale) * scale
        return F.linear(x, weight, self.bias)


torch.manual_seed(0)
model = nn.Sequential(QuantLinear(5, 8), nn.ReLU(), QuantLinear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 5), torch.randint(0, 2, (12,))
for _ in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print(model[0].weight.grad)
