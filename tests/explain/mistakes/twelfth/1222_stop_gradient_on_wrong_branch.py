import torch
import torch.nn.functional as F
from torch import nn


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(7, 12), nn.ReLU(), nn.Linear(12, 6))
        self.predict = nn.Linear(6, 6)

    def forward(self, a, b):
        za, zb = self.online(a), self.online(b)
        pa, pb = self.predict(za.detach()), self.predict(zb.detach())
        return -(F.cosine_similarity(pa, zb.detach()) + F.cosine_similarity(pb, za.detach())).mean() / 2


torch.manual_seed(0)
net = SimSiam()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(3):
    x = torch.randn(16, 7)
    loss = net(x + 0.1 * torch.randn(16, 7), x + 0.1 * torch.randn(16, 7))
    opt.zero_grad(); loss.backward(); opt.step()
