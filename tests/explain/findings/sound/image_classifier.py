"""Convolution, batch norm, dropout, a schedule, an evaluation."""

import pullback as torch
from pullback import nn
from pullback.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1, bias=False),
            nn.BatchNorm2d(4),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Dropout(0.2),
        )
        self.h = nn.Linear(4 * 16, 3)

    def forward(self, x):
        return self.h(self.f(x).flatten(1))


m = CNN()
opt = torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9)
sched = torch.optim.lr_scheduler.StepLR(opt, 2, 0.5)
dl = DataLoader(
    TensorDataset(torch.randn(48, 1, 8, 8), torch.randint(0, 3, (48,))), batch_size=8, shuffle=True
)
for _ep in range(3):
    m.train()
    for x, y in dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(m(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
    sched.step()
    m.eval()
    with torch.no_grad():
        acc = sum(((m(x).argmax(1) == y).sum().item() for x, y in dl))
