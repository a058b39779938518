import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.9)
x = torch.randn(30, 4)
y = x @ torch.randn(4, 1)
best, best_loss = None, float("inf")
for epoch in range(12):
    loss = nn.functional.mse_loss(model(x), y)
    if loss.item() < best_loss:
        best_loss = loss.item()
        best = model.state_dict()
    opt.zero_grad()
    loss.backward()
    opt.step()
    for group in opt.param_groups:
        group["lr"] *= 1.1
model.load_state_dict(best)
