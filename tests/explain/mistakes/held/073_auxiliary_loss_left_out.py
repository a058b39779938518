import torch
from torch import nn


class Inception(nn.Module):
    def __init__(self):
        super().__init__()
        self.early = nn.Linear(6, 8)
        self.auxiliary = nn.Linear(8, 3)
        self.late = nn.Linear(8, 3)

    def forward(self, x):
        h = torch.relu(self.early(x))
        return self.late(h), self.auxiliary(h)


def compute_loss(outputs, labels, weight=0.3):
    main, auxiliary = outputs
    loss = nn.functional.cross_entropy(main, labels)
    extra = loss + weight * nn.functional.cross_entropy(auxiliary, labels)
    return loss


torch.manual_seed(0)
model = Inception()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 6), torch.randint(0, 3, (8,))
for _ in range(3):
    optimizer.zero_grad()
    loss = compute_loss(model(x), y)
    loss.backward()
    optimizer.step()
print(model.auxiliary.weight.grad)
