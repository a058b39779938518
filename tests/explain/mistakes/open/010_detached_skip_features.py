import torch
import torch.nn as nn


class MultiScale(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.deep = nn.Conv2d(4, 4, 3, padding=1)
        self.head = nn.Linear(8, 3)

    def features(self, x):
        low = torch.relu(self.stem(x)).detach()
        high = torch.relu(self.deep(low))
        return torch.cat([low.mean((2, 3)), high.mean((2, 3))], dim=1)

    def forward(self, x):
        return self.head(self.features(x))


torch.manual_seed(0)
model = MultiScale()
images, labels = torch.randn(4, 1, 8, 8), torch.tensor([0, 2, 1, 1])
loss = nn.functional.cross_entropy(model(images), labels)
loss.backward()
for name, p in model.named_parameters():
    print(name, None if p.grad is None else p.grad.norm().item())
