import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.tensor([[1], [2], [3], [4]], dtype=torch.float32)
Y = torch.tensor([[2], [4], [6], [8]], dtype=torch.float32)
model = nn.Linear(1, 1)
criterion = nn.MSELoss()
learning_rate = 0.01
optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
losses = []
for epoch in range(10):
    y_pred = model(X)
    loss = criterion(y_pred, Y)
    losses.append(loss.item())
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
print(model(torch.tensor([[10.0]])))
