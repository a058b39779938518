import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.BCEWithLogitsLoss(reduction="none")


def weighted(logits, y, w):
    return criterion(logits, y) * w


x = torch.randn(12, 5)
y, w = (x[:, :1] > 0).float(), torch.rand(12, 1)
for _ in range(3):
    loss = weighted(model(x), y, w)
    opt.zero_grad()
    loss.backward()
    opt.step()
