import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
sales = torch.poisson(torch.rand(40) * 3)
days = torch.stack([torch.arange(40) % 7, torch.arange(40) // 7], 1).float()
data = TensorDataset(days / 7, sales.log())
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for x, y in DataLoader(data, batch_size=40):
    loss = nn.functional.mse_loss(net(x)[:, 0], y)
    opt.zero_grad()
    loss.backward()
    opt.step()
