import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
history = []
for step in range(30):
    x = torch.randn(16, 5)
    loss = (model(x) - x.mean(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss)
print(sum(history) / len(history))
