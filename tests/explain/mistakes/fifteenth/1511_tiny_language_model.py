import torch
import torch.nn as nn


class TinyLM(nn.Module):
    def __init__(self, vocab=16, d=32, max_len=12):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Embedding(max_len, d)
        layer = nn.TransformerEncoderLayer(d, 2, 64, dropout=0.0, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, 1)
        self.proj = nn.Linear(d, vocab)

    def forward(self, x):
        n = x.size(1)
        h = self.tok(x) + self.pos(torch.arange(n))
        mask = torch.triu(torch.full((n, n), float("-inf")), diagonal=1)
        return self.proj(self.enc(h, mask=mask))


torch.manual_seed(0)
start = torch.randint(0, 16, (64, 1))
tokens = (start + 3 * torch.arange(12)) % 16
model = TinyLM()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
losses = []
for step in range(80):
    logits = model(tokens)
    loss = criterion(logits.reshape(-1, 16), tokens.reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[-1])
