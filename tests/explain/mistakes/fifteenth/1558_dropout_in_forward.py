import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(16, 64)
        self.fc2 = nn.Linear(64, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, p=0.5)
        return self.fc2(x)


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
data, labels = torch.randn(90, 16), torch.randint(0, 3, (90,))
test = torch.randn(5, 16)
model.train()
for epoch in range(20):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(data), labels)
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    first, second = model(test), model(test)
print(loss.item(), first.argmax(1), second.argmax(1))
