import torch
from torch import nn


class Bag(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embed = nn.Embedding(len(vocab), 6)
        self.out = nn.Linear(6, 2)

    def forward(self, tokens):
        return self.out(self.embed(tokens).mean(1))


def encode(vocab, sentence, length=5):
    ids = [vocab[w] for w in sentence.split()]
    return ids + [len(vocab)] * (length - len(ids))


vocab = {w: k for k, w in enumerate("the cat sat on a mat".split())}
torch.manual_seed(0)
model = Bag(vocab)
batch = torch.tensor([encode(vocab, "the cat sat"), encode(vocab, "a cat on a mat")])
loss = nn.functional.cross_entropy(model(batch), torch.tensor([0, 1]))
loss.backward()
