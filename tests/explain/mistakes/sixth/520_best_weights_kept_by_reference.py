import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x, y = torch.randn(20, 3), torch.randn(20, 1)
x_valid, y_valid = torch.randn(20, 3), torch.randn(20, 1)
lowest, best = float("inf"), None
for _ in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        valid = nn.functional.mse_loss(model(x_valid), y_valid).item()
    if valid < lowest:
        lowest, best = valid, model.state_dict()
model.load_state_dict(best)
