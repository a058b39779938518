import torch
import torch.nn as nn


class Tagger(nn.Module):
    def __init__(self, words, tags):
        super().__init__()
        self.embed = nn.Embedding(words, 6)
        self.rnn = nn.GRU(6, 6, batch_first=True)
        self.out = nn.Linear(6, tags)

    def forward(self, words):
        return self.out(self.rnn(self.embed(words))[0])


torch.manual_seed(0)
tagger = Tagger(20, 5)
optimizer = torch.optim.Adam(tagger.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
words, tags = torch.randint(0, 20, (3, 5)), torch.randint(0, 5, (3, 5))
for epoch in range(3):
    logits = tagger(words)
    loss = criterion(logits, tags)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
