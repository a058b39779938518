import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv1d(1, 4, 3), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(4, 4)
)
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.SGD(model.parameters(), lr=0.1)

signals = torch.randn(16, 1, 30)
labels = torch.randint(0, 4, (16,))
target = F.one_hot(labels, num_classes=4)

for epoch in range(2):
    out = model(signals)
    loss = loss_fn(out, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
