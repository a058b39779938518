import torch
from torch import nn


def pad(sentences):
    width = max(map(len, sentences))
    batch = torch.zeros(len(sentences), width)
    for row, sentence in zip(batch, sentences):
        row[: len(sentence)] = torch.tensor(sentence)
    return batch


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.out = nn.Embedding(30, 8), nn.Linear(8, 2)

    def forward(self, tokens):
        return self.out(self.embed(tokens).mean(1))


torch.manual_seed(0)
model = Bag()
tokens = pad([[4, 9, 2], [7, 1], [3, 3, 8, 20]])
loss = nn.functional.cross_entropy(model(tokens), torch.tensor([0, 1, 0]))
loss.backward()
