import torch
import torch.nn as nn


class DomainClassifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(5, 8)
        self.domain = nn.Linear(8, 2)
        self.strength = 0

    def forward(self, x):
        h = torch.relu(self.features(x))
        if h.requires_grad:
            h.register_hook(lambda g: -self.strength * g)
        return self.domain(h)


torch.manual_seed(0)
model = DomainClassifier()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, domain = torch.randn(8, 5), torch.randint(0, 2, (8,))
for step in range(3):
    loss = nn.functional.cross_entropy(model(x), domain)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.features.weight.grad)
