import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for step in range(4):
    x = 10 * torch.randn(16, 5)
    loss = nn.functional.mse_loss(model(x), 3 * x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    print(step, loss.item())
