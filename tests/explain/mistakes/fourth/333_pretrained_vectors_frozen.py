import torch
from torch import nn


class TextModel(nn.Module):
    def __init__(self, vectors, classes):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(vectors)
        self.rnn = nn.GRU(vectors.shape[1], 8, batch_first=True)
        self.out = nn.Linear(8, classes)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[1][-1])


torch.manual_seed(0)
model = TextModel(torch.randn(30, 6), 2)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    tokens, label = torch.randint(0, 30, (5, 7)), torch.randint(0, 2, (5,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(tokens), label).backward()
    optimizer.step()
