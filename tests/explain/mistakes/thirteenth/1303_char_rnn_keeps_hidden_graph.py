import torch
from torch import nn


class CharRNN(nn.Module):
    def __init__(self, vocab=30, size=32):
        super().__init__()
        self.emb = nn.Embedding(vocab, 16)
        self.rnn = nn.GRU(16, size, batch_first=True)
        self.out = nn.Linear(size, vocab)

    def forward(self, x, h):
        y, h = self.rnn(self.emb(x), h)
        return self.out(y), h


torch.manual_seed(0)
text = torch.randint(0, 30, (4, 101))
model = CharRNN()
opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
hidden = None
for start in range(0, 100, 20):
    x = text[:, start:start + 20]
    y = text[:, start + 1:start + 21]
    logits, hidden = model(x, hidden)
    loss = nn.functional.cross_entropy(logits.reshape(-1, 30), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
