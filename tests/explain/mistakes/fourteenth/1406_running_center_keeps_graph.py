import torch
from torch import nn


class CenteredHead(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.fc = nn.Linear(d, k)
        self.register_buffer('center', torch.zeros(k))

    def forward(self, x):
        out = self.fc(x)
        self.center = 0.9 * self.center + 0.1 * out.mean(0)
        return out - self.center


torch.manual_seed(0)
head = CenteredHead(6, 4)
opt = torch.optim.SGD(head.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(20, 6)
    y = x[:, :4].argmax(1)
    loss = nn.functional.cross_entropy(head(x) / 0.5, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
