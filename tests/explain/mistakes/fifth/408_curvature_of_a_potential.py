import torch
from torch import nn


def laplacian(potential, points):
    points = points.requires_grad_(True)
    value = potential(points).sum()
    slope, = torch.autograd.grad(value, points)
    total = 0.0
    for k in range(points.shape[1]):
        second, = torch.autograd.grad(slope[:, k].sum(), points, retain_graph=True)
        total = total + second[:, k]
    return total


torch.manual_seed(0)
potential = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))
loss = laplacian(potential, torch.rand(10, 2)).pow(2).mean()
loss.backward()
