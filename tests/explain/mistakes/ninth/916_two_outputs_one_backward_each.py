import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 36, 16))
        self.kind, self.box = nn.Linear(16, 3), nn.Linear(16, 4)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.kind(h), self.box(h)


def backward_all(losses):
    for loss in losses:
        loss.backward()


torch.manual_seed(0)
net = Detector()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, kinds, boxes = torch.rand(4, 1, 8, 8), torch.randint(0, 3, (4,)), torch.rand(4, 4)
kind, box = net(x)
losses = [nn.functional.cross_entropy(kind, kinds), nn.functional.smooth_l1_loss(box, boxes)]
optimizer.zero_grad()
backward_all(losses)
optimizer.step()
