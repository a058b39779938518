import torch
import torch.optim as optim
import torch.nn as nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
initial = model.weight.data.clone()
optimizer = optim.SGD(model.parameters(), lr=1e-8)
criterion = nn.MSELoss()
inputs = torch.randn(100, 2)
targets = inputs @ torch.tensor([[3.0], [-2.0]]) + 1.0
losses = []
for epoch in range(100):
    optimizer.zero_grad()
    outputs = model(inputs)
    loss = criterion(outputs, targets)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("Initial weights:", initial)
print("Final weights:", model.weight.data)
