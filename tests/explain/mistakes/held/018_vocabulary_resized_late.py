import torch
import torch.nn as nn


class Bag(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embed = nn.Embedding(words, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, tokens):
        return self.out(self.embed(tokens).mean(1))

    def grow(self, words):
        old = self.embed.weight.detach()
        self.embed = nn.Embedding(words, old.size(1))
        self.embed.weight.data[:len(old)] = old


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    def step(self, tokens, labels):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(tokens), labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()


torch.manual_seed(0)
model = Bag(10)
trainer = Trainer(model)
model.grow(14)
tokens, labels = torch.randint(0, 14, (8, 5)), torch.randint(0, 2, (8,))
print([trainer.step(tokens, labels) for _ in range(4)])
