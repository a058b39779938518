import torch
import torch.nn as nn


class SpamFilter(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.bag = nn.EmbeddingBag(words, 8)
        self.head = nn.Linear(8, 1)

    def forward(self, tokens):
        return self.head(self.bag(tokens))


torch.manual_seed(0)
model = SpamFilter(30)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
tokens, spam = torch.randint(0, 30, (10, 5)), torch.zeros(10).long()
for epoch in range(3):
    logits = model(tokens)
    loss = nn.functional.cross_entropy(logits, spam)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
