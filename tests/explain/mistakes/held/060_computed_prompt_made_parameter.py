import torch
from torch import nn


class PrefixTuning(nn.Module):
    def __init__(self, d, length):
        super().__init__()
        self.seed = nn.Parameter(torch.randn(length, 2))
        self.mapper = nn.Linear(2, d)
        self.head = nn.Linear(d, 2)

    def prefix(self):
        return nn.Parameter(torch.tanh(self.mapper(self.seed)))

    def forward(self, x):
        prefix = self.prefix().expand(x.size(0), -1, -1)
        return self.head(torch.cat([prefix, x], dim=1).mean(1))


torch.manual_seed(0)
model = PrefixTuning(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(5, 6, 4), torch.randint(0, 2, (5,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.seed.grad, model.mapper.weight.grad)
