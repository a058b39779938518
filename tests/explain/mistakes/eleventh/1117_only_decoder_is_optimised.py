import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, n=12, h=10):
        super().__init__()
        self.encoder = nn.Embedding(n, h)
        self.decoder = nn.GRU(h, h, batch_first=True)
        self.vocab = nn.Linear(h, n)

    def forward(self, src):
        out, _ = self.decoder(self.encoder(src))
        return self.vocab(out)


torch.manual_seed(0)
net = Seq2Seq()
before = net.encoder.weight.detach().clone()
opt = torch.optim.Adam(list(net.decoder.parameters()) + list(net.vocab.parameters()), lr=0.01)
for _ in range(4):
    ids = torch.randint(0, 12, (6, 9))
    loss = nn.functional.cross_entropy(net(ids[:, :-1]).mT, ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
