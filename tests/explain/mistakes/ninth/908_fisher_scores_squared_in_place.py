import torch
from torch import nn


class Swiglu(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(size, inner), nn.Linear(size, inner), nn.Linear(inner, size)

    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        gate *= self.up(x)
        return x + self.down(gate)


torch.manual_seed(0)
net = nn.Sequential(Swiglu(6, 12), Swiglu(6, 12), nn.Linear(6, 3))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
x, y = torch.randn(5, 6), torch.randint(0, 3, (5,))
loss = nn.functional.cross_entropy(net(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()
