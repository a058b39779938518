import torch
from torch import nn

PAD = 0


class BagOfWords(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.out = nn.Linear(d, 2)

    def pool(self, tokens):
        mask = (tokens == PAD).float().unsqueeze(-1)
        return (self.embed(tokens) * mask).sum(1) / tokens.size(1)

    def forward(self, tokens):
        return self.out(self.pool(tokens))


torch.manual_seed(0)
model = BagOfWords(12, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
tokens, y = torch.randint(1, 12, (8, 6)), torch.randint(0, 2, (8,))
for epoch in range(3):
    loss = nn.functional.cross_entropy(model(tokens), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
