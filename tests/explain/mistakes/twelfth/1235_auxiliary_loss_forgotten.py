import torch
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.label, self.depth = nn.Linear(6, 10), nn.Linear(10, 4), nn.Linear(10, 1)

    def forward(self, x):
        h = self.body(x).relu()
        return self.label(h), self.depth(h)


torch.manual_seed(0)
net = TwoHeads()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    x, y, d = torch.randn(12, 6), torch.randint(0, 4, (12,)), torch.rand(12, 1)
    scores, depth = net(x)
    loss_label = nn.functional.cross_entropy(scores, y)
    loss_depth = nn.functional.l1_loss(depth, d)
    loss = loss_label
    opt.zero_grad()
    loss.backward()
    opt.step()
