import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(12, 6, max_norm=1.0)
        self.mix = nn.Linear(6, 6, bias=False)

    def forward(self, ids):
        table = self.mix.weight @ self.word.weight.t()
        e = self.word(ids)
        return e @ table


torch.manual_seed(0)
model = Model()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
ids = torch.randint(0, 12, (20,))
nxt = (ids + 1) % 12
loss = nn.functional.cross_entropy(model(ids), nxt)
opt.zero_grad()
loss.backward()
opt.step()
