import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, vocab, size):
        super().__init__()
        self.embed = nn.Embedding(vocab, size, padding_idx=0)
        self.attention = nn.MultiheadAttention(size, 2, batch_first=True)
        self.out = nn.Linear(size, 2)

    def forward(self, tokens):
        x = self.embed(tokens)
        h, _ = self.attention(x, x, x, key_padding_mask=tokens == 0)
        return self.out(h.mean(1))


torch.manual_seed(0)
model = Reader(12, 8)
tokens = torch.tensor([[3, 5, 0, 0], [0, 0, 0, 0], [7, 1, 2, 9]])
loss = nn.functional.cross_entropy(model(tokens), torch.tensor([0, 1, 1]))
loss.backward()
print(loss)
