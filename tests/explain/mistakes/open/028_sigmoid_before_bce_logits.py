import torch
import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))

    def forward(self, x):
        return torch.sigmoid(self.net(x))


torch.manual_seed(0)
D = Discriminator()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(D.parameters(), lr=0.01)
for step in range(4):
    real, fake = torch.randn(8, 2) + 2, torch.randn(8, 2) - 2
    loss = criterion(D(real), torch.ones(8, 1)) + criterion(D(fake), torch.zeros(8, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
