import torch
from torch import nn


class SkipGram(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.words = nn.Embedding(vocab, d, max_norm=1.0)

    def forward(self, centre, context):
        everything = torch.tanh(self.words.weight @ self.words.weight.t())
        pair = (self.words(centre) * self.words(context)).sum(-1)
        return pair - everything[centre].logsumexp(-1)


torch.manual_seed(0)
model = SkipGram(9, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    centre, context = torch.randint(0, 9, (6,)), torch.randint(0, 9, (6,))
    loss = -model(centre, context).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
