import torch
from torch import nn

torch.manual_seed(0)
means = torch.randn(3, 2) * 3
labels = torch.arange(90) % 3
points = means[labels] + 0.3 * torch.randn(90, 2)

model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=0.02)
for epoch in range(150):
    loss = criterion(model(points), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print('final loss', loss.item())
