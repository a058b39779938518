import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, d, depth):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(d, d) for _ in range(depth))
        self.head = nn.Linear(d, 1)

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return self.head(x)


def average_weights(model):
    total = None
    for block in model.blocks:
        weight = block.weight.detach_()
        total = weight.clone() if total is None else total + weight
    return total / len(model.blocks)


torch.manual_seed(0)
model = Stack(4, 3)
print("average", average_weights(model).norm().item())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(8, 4), torch.randn(8, 1)
for _ in range(2):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.blocks[1].weight.grad)
