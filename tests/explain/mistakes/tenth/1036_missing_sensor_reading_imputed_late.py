import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sensors(Dataset):
    def __init__(self, n=40):
        generator = torch.Generator().manual_seed(7)
        self.x = torch.randn(n, 3, generator=generator)
        self.x[::13, 1] = float("nan")
        self.y = self.x[:, 0] - 0.5

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(0)
model, losses = nn.Linear(3, 1), []
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(Sensors(), batch_size=8, shuffle=True):
    loss = nn.functional.l1_loss(model(x).squeeze(1), y)
    opt.zero_grad(); loss.backward(); opt.step()
    losses.append(loss.item())
