import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, h):
        weights = self.score(h).softmax(dim=-1)
        return (weights * h).sum(dim=1)


torch.manual_seed(0)
rnn, pool, out = nn.GRU(4, 10, batch_first=True), AttentionPool(10), nn.Linear(10, 3)
net = nn.ModuleList([rnn, pool, out])
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
x, y = torch.randn(7, 15, 4), torch.randint(0, 3, (7,))
loss = nn.functional.cross_entropy(out(pool(rnn(x)[0])), y)
opt.zero_grad()
loss.backward()
opt.step()
