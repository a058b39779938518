import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Loans(Dataset):
    def __init__(self, count):
        self.age = torch.randint(20, 70, (count,)).float()
        self.salary = torch.randint(20_000, 120_000, (count,)).float()

    def __len__(self):
        return len(self.age)

    def __getitem__(self, k):
        row = torch.stack([self.age[k], self.salary[k]])
        return row, (self.salary[k] > 60_000).float()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(3):
    for x, y in DataLoader(Loans(20), batch_size=5):
        loss = nn.functional.binary_cross_entropy_with_logits(net(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
