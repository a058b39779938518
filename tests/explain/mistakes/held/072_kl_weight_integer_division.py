import torch
from torch import nn


class BetaVAE(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mean, self.log_var = nn.Linear(d, 2), nn.Linear(d, 2)
        self.decode = nn.Linear(2, d)

    def forward(self, x):
        mean, log_var = self.mean(x), self.log_var(x)
        kl = 0.5 * (mean.pow(2) + log_var.exp() - log_var - 1).sum(1).mean()
        return (self.decode(mean) - x).pow(2).mean(), kl


def beta_schedule(epoch, epochs):
    return min(1, epoch // epochs)


torch.manual_seed(0)
model = BetaVAE(5)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(16, 5)
for epoch in range(5):
    reconstruction, kl = model(x)
    loss = reconstruction + beta_schedule(epoch, 5) * kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, reconstruction.item(), kl.item())
print(model.log_var.weight.grad)
