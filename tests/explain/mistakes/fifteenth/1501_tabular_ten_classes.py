import torch
import torch.nn as nn

torch.manual_seed(0)
centers = torch.randn(10, 20)
labels = torch.randint(0, 10, (512,))
data = centers[labels] + 0.5 * torch.randn(512, 20)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(20, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = self.fc2(x)
        return torch.softmax(x, dim=1)


model = Net()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
losses = []
for epoch in range(60):
    optimizer.zero_grad()
    outputs = model(data)
    loss = criterion(outputs, labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0], losses[-1])
