import torch
import torch.nn as nn

torch.manual_seed(0)
inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
targets = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
model = nn.Sequential(
    nn.Linear(2, 8),
    nn.Linear(8, 1),
    nn.Sigmoid(),
)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(1500):
    optimizer.zero_grad()
    out = model(inputs)
    loss = criterion(out, targets)
    loss.backward()
    optimizer.step()
print(out.detach(), loss.item())
