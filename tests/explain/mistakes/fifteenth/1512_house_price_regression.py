import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = x @ torch.tensor([1.0, -2.0, 0.5, 0.0, 1.5])
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
loss_fn = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for epoch in range(200):
    pred = model(x)
    loss = loss_fn(pred, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("loss", losses[0], "->", losses[-1])
