import torch
import torch.nn as nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


torch.manual_seed(0)
y = torch.randint(0, 4, (160,))
x = torch.randn(4, 10)[y] * 2 + 0.4 * torch.randn(160, 10)
model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for epoch in range(50):
    loss = F.nll_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
with torch.no_grad():
    accuracy = (model(x).argmax(dim=1) == y).float().mean().item()
print(losses[0], losses[-1], accuracy)
