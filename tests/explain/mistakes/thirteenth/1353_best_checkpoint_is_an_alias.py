import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(30, 10), torch.randn(30, 1)
x_val, y_val = torch.randn(30, 10), torch.randn(30, 1)
model = nn.Linear(10, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
best, best_val = None, float('inf')
for epoch in range(40):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(x_val), y_val).item()
    if val < best_val:
        best_val = val
        best = model.state_dict()
last = nn.functional.mse_loss(model(x_val), y_val).item()
print(best_val, last)
