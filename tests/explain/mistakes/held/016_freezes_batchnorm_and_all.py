import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.ReLU())
        self.head = nn.Linear(6, 2)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return self.scale * self.head(self.features(x))


def freeze_batchnorm(model):
    for module in model.modules():
        if isinstance(module, nn.BatchNorm1d):
            module.eval()
            for p in model.parameters():
                p.requires_grad_(False)
    model.scale.requires_grad_(True)


torch.manual_seed(0)
model = Net()
freeze_batchnorm(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
