import torch
from torch import nn
import torch.nn.functional as F


class LearnedFocal(nn.Module):
    def __init__(self):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(0.25))
        self.gamma = 2

    def forward(self, logits, y):
        bce = F.binary_cross_entropy_with_logits(logits, y, reduction="none")
        p_t = torch.exp(-bce)
        return (self.alpha.item() * (1 - p_t) ** self.gamma * bce).mean()


torch.manual_seed(0)
net = nn.Linear(7, 1)
criterion = LearnedFocal()
opt = torch.optim.Adam([*net.parameters(), *criterion.parameters()], lr=1e-3)
x, y = torch.randn(20, 7), (torch.rand(20, 1) > 0.8).float()
loss = criterion(net(x), y)
loss.backward()
opt.step()
