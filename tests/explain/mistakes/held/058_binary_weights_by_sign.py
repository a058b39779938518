import torch
from torch import nn
import torch.nn.functional as F


class BinaryLinear(nn.Linear):
    def binarised(self):
        alpha = self.weight.detach().abs().mean()
        return alpha * torch.sign(self.weight)

    def forward(self, x):
        return F.linear(x, self.binarised(), self.bias)


torch.manual_seed(0)
net = nn.Sequential(BinaryLinear(6, 10), nn.Hardtanh(), BinaryLinear(10, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(16, 6), torch.randint(0, 3, (16,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
