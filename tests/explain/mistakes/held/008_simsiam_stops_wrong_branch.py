import torch
import torch.nn as nn
import torch.nn.functional as F


class SimSiam(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
        self.predictor = nn.Linear(4, 4)

    def distance(self, p, z):
        p = p.detach()
        return -F.cosine_similarity(p, z, dim=-1).mean()

    def forward(self, a, b):
        za, zb = self.encoder(a), self.encoder(b)
        pa, pb = self.predictor(za), self.predictor(zb)
        return 0.5 * (self.distance(pa, zb) + self.distance(pb, za))


torch.manual_seed(0)
model = SimSiam()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(2):
    x = torch.randn(8, 6)
    loss = model(x + 0.1 * torch.randn(8, 6), x + 0.1 * torch.randn(8, 6))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.predictor.weight.grad)
