import numpy as np
import torch
import torch.nn as nn


class SpectralLayer(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.filter = nn.Parameter(torch.randn(length))
        self.mix = nn.Linear(length, length)

    def forward(self, x):
        filtered = x * self.filter
        spectrum = np.abs(np.fft.fft(filtered.detach().numpy(), axis=-1))
        spectrum = torch.from_numpy(spectrum).float()
        return self.mix(torch.log1p(spectrum))


torch.manual_seed(0)
model = SpectralLayer(8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(5, 8)
for step in range(2):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("filter gradient:", model.filter.grad)
