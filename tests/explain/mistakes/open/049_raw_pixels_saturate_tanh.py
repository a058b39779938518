import torch
import torch.nn as nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(64, 12)
        self.fc2 = nn.Linear(12, 10)

    def forward(self, x):
        x = x.flatten(1)
        x = torch.tanh(self.fc1(x))
        return self.fc2(x)


torch.manual_seed(0)
model = Digits()
with torch.no_grad():
    model.fc1.weight.abs_()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images = torch.randint(100, 256, (8, 8, 8)).float()
labels = torch.randint(0, 10, (8,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.fc1.weight.grad.abs().max())
