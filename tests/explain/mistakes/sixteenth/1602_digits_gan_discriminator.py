import torch
import torch.nn as nn

torch.manual_seed(0)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(64, 32),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Dropout(0.3, inplace=True),
            nn.Linear(32, 1),
            nn.Sigmoid(),
        )

    def forward(self, x):
        return self.model(x.view(x.size(0), -1))


G = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 64), nn.Tanh())
D = Discriminator()
d_opt = torch.optim.Adam(D.parameters(), lr=0.0002)
bce = nn.BCELoss()
for it in range(2):
    real = torch.rand(16, 1, 8, 8) * 2 - 1
    fake = G(torch.randn(16, 10)).detach()
    d_loss = bce(D(real), torch.ones(16, 1)) + bce(D(fake), torch.zeros(16, 1))
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
