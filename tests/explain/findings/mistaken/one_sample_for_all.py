"""One sample for all."""

import pullback as torch
from pullback import nn
from pullback.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, count):
        self.seeds, self.row = torch.arange(count), torch.zeros(6)

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, k):
        self.row.copy_(torch.sin(self.seeds[k] * torch.arange(6)))
        return self.row, self.seeds[k] % 2


def collect(samples):
    rows, labels = zip(*samples)
    return torch.stack(rows), torch.stack(labels)  # <-- culprit


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 2))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for x, y in DataLoader(Spectra(12), batch_size=4, collate_fn=collect):
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
