import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class BatchStandardise(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        centred = x - x.mean(0)
        return self.gain * centred / (x.std(0) + 1e-5)


torch.manual_seed(0)
layer = BatchStandardise(3)
model = nn.Sequential(nn.Linear(4, 3), layer, nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
loader = DataLoader(TensorDataset(torch.randn(13, 4), torch.randn(13, 1)), batch_size=4)
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(len(x), loss.item())
