import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(5, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.relu(self.backbone(x)))


def trainable(model):
    return [p for p in model.parameters() if p.requires_grad]


torch.manual_seed(0)
model = Net()
start = model.backbone.weight.detach().clone()
model.backbone.requires_grad_(False)
optimizer = torch.optim.SGD(trainable(model), lr=0.1)
x, y = torch.randn(12, 5), torch.randint(0, 2, (12,))
for epoch in range(6):
    if epoch == 3:
        model.backbone.requires_grad_(True)
    loss = nn.functional.cross_entropy(model(x), y)
    model.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
