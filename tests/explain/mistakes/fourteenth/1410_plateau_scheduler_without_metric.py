import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=2)
x, y = torch.randn(40, 6), torch.randn(40, 1)
xv, yv = torch.randn(20, 6), torch.randn(20, 1)
for epoch in range(5):
    model.train()
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        val_loss = nn.functional.mse_loss(model(xv), yv).item()
    sched.step()
