import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(64, 6)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
model = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=5, gamma=0.1)
for epoch in range(3):
    for a, b in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(a), b)
        loss.backward()
        opt.step()
        sched.step()
    print(epoch, loss.item(), sched.get_last_lr())
