import torch
from torch import nn


class MaskedAutoencoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.encode = nn.Linear(d, 4)
        self.decode = nn.Linear(4, d)

    def forward(self, x):
        x = self.decode(torch.tanh(self.encode(x)))
        return x, x


def reconstruction_loss(output, target):
    return (output - target).pow(2).mean()


torch.manual_seed(0)
model = MaskedAutoencoder(6)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for batch in torch.randn(3, 8, 6):
    output, target = model(batch)
    loss = reconstruction_loss(output, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
