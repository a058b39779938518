import torch
from torch import nn


class EnergyModel(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Linear(d, d)

    def energy(self, x):
        h = self.f(x).half()
        return h.pow(2).sum(1)

    def forward(self, x):
        return self.energy(x).float()


torch.manual_seed(0)
model = EnergyModel(16)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
clean = torch.randn(6, 16)
clean[4] *= 300
noisy = clean + torch.randn_like(clean)
loss = (model(clean) - model(noisy)).mean() + 1e-3 * model(clean).mean()
optimizer.zero_grad()
loss.backward()
print(loss.item(), model.f.weight.grad.abs().max())
