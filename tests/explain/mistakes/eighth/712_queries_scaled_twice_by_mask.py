import torch
from torch import nn


class Pooled(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.embed, self.out = nn.Embedding(words, size, padding_idx=0), nn.Linear(size, 2)

    def pool(self, h, keep):
        return (h * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)

    def forward(self, tokens):
        return self.out(self.pool(self.embed(tokens), (tokens != 0).float()))


torch.manual_seed(0)
model = Pooled(15, 6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
tokens = torch.randint(1, 15, (4, 5))
tokens[1, 2:], tokens[3] = 0, 0
loss = nn.functional.cross_entropy(model(tokens), torch.tensor([0, 1, 1, 0]))
optimizer.zero_grad()
loss.backward()
optimizer.step()
