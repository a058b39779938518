import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten())
        self.head = nn.Linear(4 * 36, classes)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(0)
old, model = Net(10), Net(3)
weights = {name: value for name, value in old.state_dict().items() if not name.startswith("head")}
model.load_state_dict(weights, strict=False)
optimizer = torch.optim.SGD(
    [{"params": model.body.parameters(), "lr": 1e-3}, {"params": model.head.parameters()}], lr=0.1
)
for _ in range(4):
    x, y = torch.rand(6, 1, 8, 8), torch.randint(0, 3, (6,))
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
