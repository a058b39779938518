import torch
import torch.nn as nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.1)
        nn.init.zeros_(module.bias)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
model.apply(init_weights)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]])
y = torch.tensor([[0.0], [1], [1], [0]])
for step in range(6):
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
print(model[0].weight)
