import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        x.add_(0.1 * torch.randn_like(x))
        return x, self.y[i]


torch.manual_seed(0)
original = torch.randn(40, 6)
data = Noisy(original.clone(), (original.sum(1) > 0).long())
model = nn.Linear(6, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.2)
for epoch in range(20):
    for xb, yb in DataLoader(data, batch_size=20, shuffle=True):
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
