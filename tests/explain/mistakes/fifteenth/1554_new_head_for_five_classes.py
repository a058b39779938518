import torch
import torch.nn as nn


class SmallNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.fc = nn.Linear(32, classes)

    def forward(self, x):
        return self.fc(self.pool(torch.relu(self.conv(x))).flatten(1))


torch.manual_seed(0)
model = SmallNet(10)
for param in model.conv.parameters():
    param.requires_grad = False
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model.fc = nn.Linear(32, 5)
start = model.fc.weight.detach().clone()
images, labels = torch.rand(20, 3, 8, 8), torch.randint(0, 5, (20,))
for epoch in range(10):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
