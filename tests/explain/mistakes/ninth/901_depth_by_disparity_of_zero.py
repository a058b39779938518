import torch
from torch import nn


class Depth(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 1), nn.Softplus())

    def forward(self, image):
        return self.net(image)


def inverse_error(depth, disparity):
    return (depth - 1 / disparity).abs().mean()


torch.manual_seed(0)
net = Depth()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
image, disparity = torch.rand(2, 1, 6, 6), torch.rand(2, 1, 6, 6)
disparity[0, 0, 2:4] = 0.0
loss = inverse_error(net(image), disparity)
optimizer.zero_grad()
loss.backward()
optimizer.step()
