import torch
import torch.nn as nn


class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.code = nn.Parameter(torch.randn(3))
        self.make = nn.Linear(3, 4 * 2)
        self.main = nn.Linear(4, 2)

    def forward(self, x):
        weights = self.make(self.code).view(2, 4)
        self.main.weight.data = weights
        return self.main(x)


torch.manual_seed(0)
model = Hyper()
hyper = model.make
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
for _ in range(2):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(hyper.weight.grad, model.code.grad)
