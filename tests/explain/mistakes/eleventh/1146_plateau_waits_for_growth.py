import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, mode="max", factor=0.1, patience=1)
x = torch.randn(64, 6)
y = (x @ torch.randn(6) > 0).long()
losses = []
for epoch in range(12):
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
    sched.step(losses[-1])
