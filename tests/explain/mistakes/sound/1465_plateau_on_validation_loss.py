import copy
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=3)
x, xv = torch.randn(60, 5), torch.randn(30, 5)
y, yv = x.sum(1, keepdim=True), xv.sum(1, keepdim=True)
best, kept = float('inf'), None
for epoch in range(12):
    model.train()
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(xv), yv)
    sched.step(val)
    if val < best:
        best, kept = val.item(), copy.deepcopy(model.state_dict())
model.load_state_dict(kept)
