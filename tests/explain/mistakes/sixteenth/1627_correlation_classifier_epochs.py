import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.randn(320, 10)
W = torch.randn(10, 3)
Y = X @ W + 0.05 * torch.randn(320, 3)

model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
mse = nn.MSELoss()
history = []


def train(epoch):
    model.train()
    optimizer.zero_grad()
    total = 0.0
    for i in range(0, 320, 16):
        x, y = X[i:i + 16], Y[i:i + 16]
        loss = mse(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / 20


for epoch in range(30):
    history.append(train(epoch))
    print("Epoch", epoch, "Train loss", history[-1])
