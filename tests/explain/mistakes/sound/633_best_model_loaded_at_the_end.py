import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2)
x, y = torch.randn(32, 5), torch.randn(32, 1)
lowest, best = float("inf"), copy.deepcopy(model.state_dict())
for _ in range(8):
    model.train()
    for part in range(0, 32, 8):
        loss = nn.functional.mse_loss(model(x[part : part + 8]), y[part : part + 8])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        valid = nn.functional.mse_loss(model(x), y).item()
    plateau.step(valid)
    if valid < lowest:
        lowest, best = valid, copy.deepcopy(model.state_dict())
model.load_state_dict(best)
