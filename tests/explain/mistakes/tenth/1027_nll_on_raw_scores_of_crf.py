import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, tags=4):
        super().__init__()
        self.emb = nn.Embedding(30, 12)
        self.rnn = nn.GRU(12, 12, batch_first=True, bidirectional=True)
        self.out = nn.Linear(24, tags)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


torch.manual_seed(0)
model, criterion = Tagger(), nn.NLLLoss(ignore_index=-1)
opt = torch.optim.Adam(model.parameters(), lr=5e-2)
ids, tags = torch.randint(0, 30, (6, 7)), torch.randint(0, 4, (6, 7))
losses = []
for _ in range(25):
    loss = criterion(model(ids).transpose(1, 2), tags)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
