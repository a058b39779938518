import torch
from torch import nn


class DeepNet(nn.Module):
    def __init__(self, width=16, depth=4):
        super().__init__()
        self.inp = nn.Linear(3, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width)] * depth)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.tanh(self.inp(x))
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.out(x)


torch.manual_seed(0)
model = DeepNet()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(50, 3)
y = x[:, :1] * x[:, 1:2]
for epoch in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(sum(p.numel() for p in model.parameters()))
