import torch
from torch import nn


class Causal(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        scores = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
        future = torch.ones(ids.shape[1], ids.shape[1]).triu().bool()
        weights = scores.masked_fill(future, float("-inf")).softmax(-1)
        return self.out(weights @ self.v(x))


torch.manual_seed(0)
lm = Causal(13, 8)
ids = torch.randint(0, 13, (3, 7))
logits = lm(ids[:, :-1])
loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
loss.backward()
