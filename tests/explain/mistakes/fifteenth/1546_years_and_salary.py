import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.rand(100, 1) * 100
y = 25 + 3 * x + torch.randn(100, 1)
model = nn.Linear(1, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(60):
    optimizer.zero_grad()
    prediction = model(x)
    loss = criterion(prediction, y)
    loss.backward()
    optimizer.step()
    if epoch < 5 or epoch % 20 == 0:
        print("Loss:", loss.item())
print(model.weight, model.bias)
