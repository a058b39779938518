"""A LeNet: ten outputs need ten numbers in the covector, and ten parameter tensors receive gradients.

The two tens have nothing to do with each other. J has a row for each output and a column for each of the
61,706 numbers in the parameters. Its rows come one by one from covectors that pick a single output; v weighs
the rows.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    """Two convolutions with pooling, three linear layers."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = x.flatten(1)
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def gradient_row(net):
    """All gradients of the parameters, one after the other in a single row."""
    return np.concatenate([parameter.grad.numpy().ravel() for parameter in net.parameters()])


torch.manual_seed(0)
net = Net()
image = torch.randn(1, 1, 32, 32)
out = net(image)
print("out:", tuple(out.shape), "needs a covector of that shape")

rows = []
for k in range(10):
    net.zero_grad()
    one_hot = torch.zeros(1, 10)
    one_hot[0, k] = 1
    out.backward(one_hot, retain_graph=True)
    rows.append(gradient_row(net))
J = np.stack(rows)

gradient = torch.randn(1, 10)
net.zero_grad()
out.backward(gradient)

v = gradient.numpy().ravel()
pulled = v @ J
print("J:     ", J.shape)
print("v:     ", v.round(4))
start = 0
for name, parameter in net.named_parameters():
    end = start + parameter.numel()
    k = start + np.abs(pulled[start:end]).argmax()
    entry = parameter.grad.flatten()[k - start].item()
    print(f"{name:13} {tuple(parameter.shape)!s:15} largest entry: vᵀ·J {pulled[k]:9.5f}   grad {entry:9.5f}")
    start = end
print("parameter tensors:", len(list(net.parameters())))
print("largest difference below 1e-5:", bool(np.abs(pulled - gradient_row(net)).max() < 1e-5))
