import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(3)
features = rng.normal(size=(20, 6))
prices = features.sum(axis=1, keepdims=True)
data = TensorDataset(torch.from_numpy(features), torch.from_numpy(prices))
net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters())
for x, y in DataLoader(data, batch_size=5):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
