import math
import torch
import torch.nn as nn


def causal_mask(length):
    allowed = torch.tril(torch.ones(length, length), diagonal=-1)
    return torch.zeros(length, length).masked_fill(allowed == 0, -math.inf)


class GPTBlock(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.qkv = nn.Linear(d, 3 * d)
        self.head = nn.Linear(d, vocab)

    def forward(self, tokens):
        q, k, v = self.qkv(self.embed(tokens)).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.size(-1))
        scores = scores + causal_mask(tokens.size(1))
        return self.head(torch.softmax(scores, dim=-1) @ v)


torch.manual_seed(0)
model = GPTBlock(7, 4)
tokens = torch.randint(0, 7, (2, 5))
logits = model(tokens[:, :-1])
loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
loss.backward()
print(loss.item(), model.head.weight.grad)
