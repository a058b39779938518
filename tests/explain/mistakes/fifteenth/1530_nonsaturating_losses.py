import torch
import torch.nn as nn
import torch.nn.functional as F


def loss_nonsaturating(d, g, x_real):
    z = torch.randn(x_real.shape[0], 16)
    gz = g(z)
    dgz = torch.sigmoid(d(gz))
    dx = d(x_real)
    real_label = torch.ones(x_real.shape[0], 1)
    fake_label = torch.zeros(x_real.shape[0], 1)
    d_loss = F.binary_cross_entropy_with_logits(dx, real_label) + F.binary_cross_entropy(dgz, fake_label)
    g_loss = -torch.log(dgz).mean()
    return d_loss, g_loss


torch.manual_seed(0)
g = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
d = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
d_opt = torch.optim.Adam(d.parameters(), lr=1e-3)
g_opt = torch.optim.Adam(g.parameters(), lr=1e-3)
for i in range(3):
    x_real = torch.randn(64, 4) * 0.5 + 1
    d_loss, g_loss = loss_nonsaturating(d, g, x_real)
    d_opt.zero_grad()
    d_loss.backward(retain_graph=True)
    d_opt.step()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
