import torch
from torch import nn


def make_optimizer(net, lr=2e-4):
    return torch.optim.Adam(net.parameters(), lr=lr, betas=(0.5, 0.999))


torch.manual_seed(0)
G = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 2))
D = nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, 1))
optimizers = {"g": make_optimizer(D), "d": make_optimizer(D)}
before = G[0].weight.clone()
bce = nn.BCEWithLogitsLoss()
for _ in range(4):
    real, fake = torch.randn(8, 2), G(torch.randn(8, 3))
    d_loss = bce(D(real), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    optimizers["d"].zero_grad(); d_loss.backward(); optimizers["d"].step()
    g_loss = bce(D(fake), torch.ones(8, 1))
    optimizers["g"].zero_grad(); g_loss.backward(); optimizers["g"].step()
