import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embed = nn.Embedding(vocab, 8)
        self.gru = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, vocab)

    def forward(self, tokens):
        return self.out(self.gru(self.embed(tokens))[0])


torch.manual_seed(0)
model, criterion = Decoder(12), nn.CrossEntropyLoss(ignore_index=0)
tokens = torch.randint(1, 12, (4, 7))
logits = model(tokens[:, :-1])
loss = criterion(logits, tokens[:, 1:])
loss.backward()
