import torch
import torch.nn as nn


class Prototypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, support, labels, query):
        z = self.embed(support)
        centres = torch.stack([z[labels == c].mean(0) for c in range(2)])
        return -torch.cdist(self.embed(query), centres)


def sample_task():
    labels = torch.arange(6) % 2
    return torch.randn(6, 4), labels, torch.randn(6, 4), labels


torch.manual_seed(0)
model = Prototypes()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
meta_loss = 0
optimizer.zero_grad()
for task in range(4):
    support, labels, query, wanted = sample_task()
    meta_loss += nn.functional.cross_entropy(model(support, labels, query), wanted)
    meta_loss.backward()
optimizer.step()
