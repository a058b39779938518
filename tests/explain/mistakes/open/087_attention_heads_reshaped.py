import torch
import torch.nn as nn


class FrameEncoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv1d(width, width, 3, padding=1)
        self.rnn = nn.GRU(width, width)
        self.out = nn.Linear(width, 2)

    def forward(self, x):
        batch, time, width = x.shape
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        h = h.reshape(time, batch, width)
        _, last = self.rnn(h)
        return self.out(last[0])


torch.manual_seed(0)
model = FrameEncoder(4)
x = torch.randn(3, 5, 4, requires_grad=True)
y = torch.tensor([0, 1, 0])
loss = nn.functional.cross_entropy(model(x), y)
loss.backward()
print(loss.item(), x.grad.norm())
