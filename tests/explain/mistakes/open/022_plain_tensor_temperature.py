import torch
import torch.nn as nn
import torch.nn.functional as F


class Contrastive(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, 4)
        self.temperature = torch.ones(1, requires_grad=True)

    def forward(self, a, b):
        a = F.normalize(self.project(a), dim=1)
        b = F.normalize(self.project(b), dim=1)
        logits = a @ b.t() / self.temperature
        return F.cross_entropy(logits, torch.arange(len(a)))


torch.manual_seed(0)
model = Contrastive(6)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(4):
    view = torch.randn(8, 6)
    loss = model(view, view + 0.1 * torch.randn(8, 6))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("temperature", model.temperature.item())
