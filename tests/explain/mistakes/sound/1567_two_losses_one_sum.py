import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(12, 24)
        self.obj1 = nn.Linear(24, 3)
        self.obj2 = nn.Linear(24, 1)

    def forward(self, inputs):
        out = torch.relu(self.linear(inputs))
        return self.obj1(out), self.obj2(out).squeeze(1)


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
x = torch.randn(120, 12)
kind = x[:, :3].argmax(dim=1)
size = x[:, 4] - x[:, 5]
history = []
for epoch in range(60):
    logits, value = net(x)
    loss_1 = nn.functional.cross_entropy(logits, kind)
    loss_2 = nn.functional.mse_loss(value, size)
    total_loss = loss_1 + loss_2
    optimizer.zero_grad()
    total_loss.backward()
    optimizer.step()
    history.append((loss_1.item(), loss_2.item()))
print(history[0], history[-1])
