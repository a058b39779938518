import torch
import torch.nn as nn
import torch.optim as optim


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 64)
        self.fc2 = nn.Linear(64, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.zeros_(m.weight)
        nn.init.zeros_(m.bias)


torch.manual_seed(0)
model = Model()
model.apply(init_weights)
optimizer = optim.SGD(model.parameters(), lr=0.01)
inputs = torch.randn(32, 10)
targets = inputs.sum(dim=1, keepdim=True)
for epoch in range(30):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
print(loss.item(), model(inputs)[:5])
