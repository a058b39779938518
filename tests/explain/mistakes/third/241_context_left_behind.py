import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, vocab, size):
        super().__init__()
        self.embed = nn.Embedding(vocab, size)
        self.encoder = nn.LSTM(size, size, batch_first=True)
        self.decoder = nn.LSTM(size, size, batch_first=True)
        self.out = nn.Linear(size, vocab)

    def forward(self, source, target):
        memory, state = self.encoder(self.embed(source))
        hidden, _ = self.decoder(self.embed(target))
        return self.out(hidden)


torch.manual_seed(0)
model = Seq2Seq(15, 8)
encoder = model.encoder
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
source, target = torch.randint(0, 15, (4, 6)), torch.randint(0, 15, (4, 5))
for _ in range(2):
    logits = model(source, target[:, :-1])
    loss = nn.functional.cross_entropy(logits.reshape(-1, 15), target[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
