import torch
import torch.nn as nn

torch.manual_seed(0)
images = torch.rand(256, 64)
labels = torch.randint(0, 10, (256,))
net = nn.Sequential(
    nn.Linear(64, 32),
    nn.ReLU(),
    nn.Linear(32, 10),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=20.0)
for epoch in range(20):
    optimizer.zero_grad()
    loss = criterion(net(images), labels)
    loss.backward()
    optimizer.step()
    print("epoch", epoch, "loss =", loss.item())
for i, para in enumerate(net.parameters()):
    print(i + 1, para.shape, para.grad.abs().sum())
