import torch
import torch.nn as nn


class GAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
        self.D = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))

    def losses(self, real, noise):
        fake = self.G(noise)
        on_fake, on_real = self.D(fake), self.D(real)
        bce = nn.functional.binary_cross_entropy_with_logits
        d_loss = bce(on_real, torch.ones_like(on_real)) + bce(on_fake, torch.zeros_like(on_fake))
        return d_loss, bce(on_fake, torch.ones_like(on_fake))


torch.manual_seed(0)
gan = GAN()
optim_g = torch.optim.Adam(gan.G.parameters(), lr=2e-4)
optim_d = torch.optim.Adam(gan.D.parameters(), lr=2e-4)
for step in range(2):
    d_loss, g_loss = gan.losses(torch.randn(4, 2), torch.randn(4, 2))
    optim_d.zero_grad()
    d_loss.backward(retain_graph=True)
    optim_d.step()
    optim_g.zero_grad()
    g_loss.backward()
    optim_g.step()
