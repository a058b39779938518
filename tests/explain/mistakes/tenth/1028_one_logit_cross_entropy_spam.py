import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(12, 16),
    nn.ReLU(),
    nn.Dropout(0.1),
    nn.Linear(16, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
counts = torch.poisson(torch.rand(40, 12) * 3)
spam = torch.randint(0, 2, (40, 1)).float()
for epoch in range(5):
    for part in torch.randperm(40).split(10):
        loss = nn.functional.cross_entropy(model(counts[part]), spam[part])
        opt.zero_grad()
        loss.backward()
        opt.step()
print("loss", loss.item())
