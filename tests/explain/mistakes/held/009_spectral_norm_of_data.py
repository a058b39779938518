import torch
import torch.nn as nn
import torch.nn.functional as F


class WeightNorm(nn.Module):
    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.direction = nn.Parameter(torch.randn(fan_out, fan_in))
        self.log_scale = nn.Parameter(torch.zeros(fan_out, 1))
        self.bias = nn.Parameter(torch.zeros(fan_out))

    def weight(self):
        unit = F.normalize(self.direction, dim=1)
        return unit * self.log_scale.data.exp()

    def forward(self, x):
        return F.linear(x, self.weight(), self.bias)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = WeightNorm(3, 5)
        self.out = nn.Linear(5, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.layer(x)))


torch.manual_seed(0)
model = Model()
loss = model(torch.randn(7, 3)).pow(2).mean()
loss.backward()
print({name: p.grad is not None for name, p in model.named_parameters()})
