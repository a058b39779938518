import pullback as torch
from pullback import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(6, 12, 3, padding=1)
        self.norm = nn.BatchNorm2d(12)
        self.fc = nn.Linear(12 * 3 * 3, 10)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = nn.functional.max_pool2d(x, 2)
        x = torch.relu(self.norm(self.conv2(x)))
        x = nn.functional.max_pool2d(x, 2)
        return self.fc(x.flatten(1))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
images, labels = torch.randn(8, 1, 12, 12), torch.randint(0, 10, (8,))
for _ in range(2):
    optimizer.zero_grad()
    logits = model(images)
    loss = nn.functional.cross_entropy(logits, labels)
    loss.backward()
    optimizer.step()
