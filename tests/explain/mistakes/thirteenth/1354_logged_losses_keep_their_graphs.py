import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 20))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
history = []
for step in range(40):
    x = torch.randn(16, 20)
    loss = nn.functional.l1_loss(model(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss)
    if step % 10 == 9:
        print(step, sum(history[-10:]) / 10)
