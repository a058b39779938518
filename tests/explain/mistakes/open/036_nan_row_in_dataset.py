import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Sensors(Dataset):
    def __init__(self, rows):
        self.features = torch.randn(rows, 4)
        self.target = self.features.sum(1, keepdim=True)
        self.features[7, 2] = float("nan")

    def __len__(self):
        return len(self.features)

    def __getitem__(self, i):
        return self.features[i], self.target[i]


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for features, target in DataLoader(Sensors(12), batch_size=4):
    loss = nn.functional.mse_loss(model(features), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
