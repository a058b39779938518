import torch
import torch.nn as nn


class Iris(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(4, 16)
        self.out = nn.Linear(16, 3)

    def forward(self, x):
        x = torch.relu(self.hidden(x))
        return torch.softmax(self.out(x), dim=1)


torch.manual_seed(0)
model = Iris()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(12, 4), torch.randint(0, 3, (12,))
for epoch in range(5):
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
