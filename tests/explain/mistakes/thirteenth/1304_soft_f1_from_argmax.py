import torch
from torch import nn

torch.manual_seed(0)


def f1_loss(logits, target):
    preds = logits.argmax(1).float()
    tp = (preds * target).sum()
    fp = (preds * (1 - target)).sum()
    fn = ((1 - preds) * target).sum()
    return 1 - 2 * tp / (2 * tp + fp + fn + 1e-8)


model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(64, 10)
y = (x[:, 0] > 0).float()
for epoch in range(3):
    loss = f1_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
