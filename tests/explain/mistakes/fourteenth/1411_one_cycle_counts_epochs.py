import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
EPOCHS = 5
data = TensorDataset(torch.randn(48, 4), torch.randint(0, 3, (48,)))
loader = DataLoader(data, batch_size=12)
model = nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, total_steps=EPOCHS)
for epoch in range(EPOCHS):
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
