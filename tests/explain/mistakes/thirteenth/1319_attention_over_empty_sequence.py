import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q = nn.Linear(d, 1)
        self.out = nn.Linear(d, 2)

    def forward(self, x, lengths):
        pad = torch.arange(x.size(1))[None] >= lengths[:, None]
        score = self.q(x).squeeze(-1)
        score = score.masked_fill(pad, float('-inf'))
        w = torch.softmax(score, dim=1)
        return self.out((w.unsqueeze(-1) * x).sum(1))


torch.manual_seed(0)
model = Pool(6)
opt = torch.optim.Adam(model.parameters())
x = torch.randn(4, 7, 6)
lengths = torch.tensor([7, 3, 0, 5])
y = torch.tensor([0, 1, 1, 0])
loss = nn.functional.cross_entropy(model(x, lengths), y)
opt.zero_grad()
loss.backward()
opt.step()
