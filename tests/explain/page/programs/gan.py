import pullback as torch
from pullback import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
g_optimizer = torch.optim.Adam(G.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(D.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
real = torch.randn(16, 2) + 3

for _ in range(2):
    fake = G(torch.randn(16, 4))
    d_loss = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    d_optimizer.zero_grad()
    d_loss.backward()
    d_optimizer.step()

    g_loss = bce(D(fake), torch.ones(16, 1))
    g_optimizer.zero_grad()
    g_loss.backward()
    g_optimizer.step()
