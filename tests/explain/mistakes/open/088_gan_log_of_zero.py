import torch
import torch.nn as nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 1)
        nn.init.constant_(self.fc.weight, 8.0)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))


def discriminator_loss(real, fake):
    return -(torch.log(real) + torch.log(1 - fake)).mean()


torch.manual_seed(0)
D = Critic()
optimizer = torch.optim.SGD(D.parameters(), lr=0.01)
history = []
for step in range(3):
    real, fake = torch.randn(6, 2), torch.randn(6, 2) + 2
    loss = discriminator_loss(D(real), D(fake))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
print(history)
