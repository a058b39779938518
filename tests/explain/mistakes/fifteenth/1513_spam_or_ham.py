import torch
import torch.nn as nn

torch.manual_seed(0)
features = torch.randn(200, 10)
target = (features[:, :1] + features[:, 1:2] > 0).float()
model = nn.Sequential(
    nn.Linear(10, 24),
    nn.ReLU(),
    nn.Linear(24, 1),
    nn.Sigmoid(),
)
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for epoch in range(150):
    out = model(features)
    loss = criterion(out, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0], losses[-1])
