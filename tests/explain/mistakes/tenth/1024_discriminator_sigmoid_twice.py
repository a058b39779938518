import torch
import torch.nn as nn
import torch.nn.functional as F


def discriminator(width):
    return nn.Sequential(
        nn.Linear(width, 24), nn.LeakyReLU(0.2),
        nn.Linear(24, 1), nn.Sigmoid(),
    )


torch.manual_seed(0)
D = discriminator(6)
opt = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
for _ in range(4):
    real, fake = torch.randn(16, 6) + 1, torch.randn(16, 6)
    score = torch.cat([D(real), D(fake)])
    labels = torch.cat([torch.full((16, 1), 0.9), torch.zeros(16, 1)])
    loss = F.binary_cross_entropy_with_logits(score, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
