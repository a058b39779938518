"""A language model sees the token that it is to predict."""

import pullback as torch
from pullback import nn
from pullback.nn import functional as F

torch.manual_seed(0)


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(20, 16), nn.Linear(16, 20)
        self.enc = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
    def forward(self, x):
        return self.out(self.enc(self.emb(x)))  # <-- culprit
net = LM()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(3):
    ids = torch.randint(0, 20, (4, 11))
    logits = net(ids[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, 20), ids[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
