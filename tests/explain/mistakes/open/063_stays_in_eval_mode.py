import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.norm = nn.BatchNorm1d(8)
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        return self.out(self.drop(torch.relu(self.norm(self.fc(x)))))


def validate(model, x, y):
    model.eval()
    with torch.no_grad():
        return nn.functional.cross_entropy(model(x), y).item()


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4) + 2, torch.randint(0, 2, (16,))
after_first = None
for epoch in range(4):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch == 0:
        after_first = model.norm.running_mean.clone()
    print(loss.item(), validate(model, x, y))
