import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.head = nn.Conv2d(1, 3, 3), nn.Linear(3, 2)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)).mean((2, 3)))


activations = []


def remember(module, inputs, output):
    output = output.detach()
    activations.append(output)
    return output


torch.manual_seed(0)
net = Net()
net.conv.register_forward_hook(remember)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(torch.rand(4, 1, 6, 6)), torch.tensor([0, 1, 1, 0])).backward()
    optimizer.step()
