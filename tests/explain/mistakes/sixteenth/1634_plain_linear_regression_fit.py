import torch
import torch.nn as nn

torch.manual_seed(0)
sample_size = 100
x = torch.randn((sample_size, 2))
noise = torch.randn(sample_size)
y = 10 + 9 * x[:, 0] - 2 * x[:, 1] + noise
model = nn.Linear(2, 1)

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_func = nn.MSELoss()
for epoch in range(100):
    optimizer.zero_grad()
    yhat = model(x)
    loss_val = loss_func(yhat, y)
    loss_val.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(loss_val.item())

print(model.weight.data)
print(model.bias.data)
