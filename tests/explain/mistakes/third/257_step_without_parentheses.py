import torch
from torch import nn


def train(model, optimizer, x, y, epochs):
    for epoch in range(epochs):
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        loss.backward()
        optimizer.step
        yield loss.item()


torch.manual_seed(0)
model = nn.Linear(6, 1)
before = model.weight.detach().clone()
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
x, y = torch.randn(20, 6), torch.randint(0, 2, (20,)).float()
print(list(train(model, optimizer, x, y, 5)))
