import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.scale = nn.Parameter(torch.exp(values))

    def forward(self, x):
        return x * self.scale


torch.manual_seed(0)
raw = torch.zeros(4, requires_grad=True)
opt = torch.optim.SGD([raw], lr=0.5)
net = Scaled(raw)
for _ in range(5):
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(net(x), 3 * x)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(raw)
