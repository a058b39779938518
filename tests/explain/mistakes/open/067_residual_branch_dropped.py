import torch
import torch.nn as nn


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv1d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv1d(channels, channels, 3, padding=1)

    def forward(self, x):
        out = torch.relu(self.conv1(x))
        out = self.conv2(x)
        return torch.relu(out + x)


torch.manual_seed(0)
block = ResidualBlock(3)
head = nn.Linear(3, 1)
x, y = torch.randn(4, 3, 9), torch.randn(4, 1)
loss = nn.functional.mse_loss(head(block(x).mean(-1)), y)
loss.backward()
for name, p in block.named_parameters():
    print(name, p.grad if p.grad is None else p.grad.norm())
