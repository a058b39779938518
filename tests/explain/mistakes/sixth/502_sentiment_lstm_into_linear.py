import torch
from torch import nn


class Sentiment(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, size, batch_first=True)
        self.out = nn.Linear(size, 2)

    def encode(self, tokens):
        return self.lstm(self.embed(tokens))

    def forward(self, tokens):
        return self.out(self.encode(tokens))


torch.manual_seed(0)
model = Sentiment(50, 8)
tokens = torch.randint(0, 50, (3, 6))
loss = nn.functional.cross_entropy(model(tokens), torch.tensor([0, 1, 1]))
loss.backward()
