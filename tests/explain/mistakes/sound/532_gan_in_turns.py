import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
d_optimizer = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
for _ in range(4):
    real = torch.randn(8, 2) + 2
    fake = G(torch.randn(8, 3))
    d_loss = criterion(D(real), torch.ones(8, 1)) + criterion(D(fake.detach()), torch.zeros(8, 1))
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()
    g_loss = criterion(D(fake), torch.ones(8, 1))
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
