import numpy as np
import torch
from torch import nn


def spectral_distance(prediction, target):
    a = np.abs(np.fft.rfft(prediction.detach().numpy(), axis=1))
    b = np.abs(np.fft.rfft(target.numpy(), axis=1))
    return ((a - b) ** 2).mean()


torch.manual_seed(0)
model = nn.Linear(6, 16)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(5, 6), torch.randn(5, 16)
for step in range(3):
    distance = spectral_distance(model(x), y)
    loss = torch.tensor(distance, requires_grad=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
