import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


torch.manual_seed(0)
critic, criterion = Critic(), nn.BCELoss()
real, fake = 6 * torch.randn(6, 2) + 2, 6 * torch.randn(6, 2)
loss = criterion(critic(real), torch.ones(6, 1)) + criterion(critic(fake), torch.zeros(6, 1))
loss.backward()
