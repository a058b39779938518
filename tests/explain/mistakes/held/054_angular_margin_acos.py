import torch
from torch import nn
import torch.nn.functional as F


class ArcFace(nn.Module):
    def __init__(self, classes, d, margin=0.3, scale=8.0):
        super().__init__()
        self.proxies = nn.Parameter(torch.eye(classes, d))
        self.margin, self.scale = margin, scale

    def forward(self, z, labels):
        cosine = (F.normalize(z) @ F.normalize(self.proxies).t()).clamp(-1, 1)
        angle = torch.acos(cosine)
        shifted = torch.where(F.one_hot(labels, len(self.proxies)) == 1, angle + self.margin, angle)
        return F.cross_entropy(self.scale * torch.cos(shifted), labels)


torch.manual_seed(0)
model = ArcFace(3, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
z = torch.randn(5, 4)
z[1] = torch.tensor([0.0, 2.0, 0.0, 0.0])
loss = model(z, torch.tensor([0, 1, 2, 0, 1]))
optimizer.zero_grad()
loss.backward()
print(loss.item(), model.proxies.grad)
