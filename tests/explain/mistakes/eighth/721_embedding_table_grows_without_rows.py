import torch
from torch import nn


class Vocabulary:
    def __init__(self, texts):
        self.index = {"<pad>": 0, "<unk>": 1}
        for word in " ".join(texts).split():
            self.index.setdefault(word, len(self.index))

    def encode(self, text):
        return torch.tensor([self.index.get(word, 1) for word in text.split()])


texts = ["the cat sat", "a dog ran home", "the dog sat"]
words = Vocabulary(texts)
torch.manual_seed(0)
embed = nn.Embedding(len(words.index) - 2, 6)
out = nn.Linear(6, 2)
optimizer = torch.optim.SGD([*embed.parameters(), *out.parameters()], lr=0.1)
for text, label in zip(texts, (0, 1, 1)):
    h = embed(words.encode(text)).mean(0)
    loss = nn.functional.cross_entropy(out(h)[None], torch.tensor([label]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
