import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.Embedding(words, 8)
        self.rnn = nn.GRU(8, 8, batch_first=True)
        self.out = nn.Linear(8, tags)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0])


torch.manual_seed(0)
model, criterion = Tagger(20, 4), nn.NLLLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
tokens, tags = torch.randint(0, 20, (3, 6)), torch.randint(0, 4, (3, 6))
for epoch in range(8):
    optimizer.zero_grad()
    loss = criterion(model(tokens).reshape(-1, 4), tags.reshape(-1))
    loss.backward()
    optimizer.step()
