import torch
from torch import nn

torch.manual_seed(0)
age = torch.rand(200, 1) * 60 + 18
income = torch.rand(200, 1) * 9e4 + 1e4
rooms = torch.randint(1, 8, (200, 1)).float()
X = torch.cat([age, income, rooms], 1)
y = (rooms - 4) / 2 + (age - 48) / 20


def standardise(x):
    return (x - x.mean(dim=1, keepdim=True)) / x.std(dim=1, keepdim=True)


Z = standardise(X)
model = nn.Linear(3, 1)
opt = torch.optim.Adam(model.parameters(), lr=0.05)
for epoch in range(200):
    loss = nn.functional.mse_loss(model(Z), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
final = loss.item()
