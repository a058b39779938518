import torch
import torch.nn as nn


class BiasedHead(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 3)

    def forward(self, x):
        h = self.linear(x)
        bias = torch.zeros(h.size(-1), requires_grad=True)
        self.bias = bias
        return h + bias


torch.manual_seed(0)
model = BiasedHead(4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x, y = torch.randn(9, 4), torch.randint(0, 3, (9,))
for _ in range(4):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), model.bias.tolist())
