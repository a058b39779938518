import torch
from torch import nn


class TextGenerator(nn.Module):
    def __init__(self, d, vocab):
        super().__init__()
        self.logits = nn.Linear(d, vocab)

    def forward(self, noise):
        probs = torch.softmax(self.logits(noise), dim=-1)
        return torch.multinomial(probs, 5, replacement=True)


class TextCritic(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.out = nn.Linear(d, 1)

    def forward(self, tokens):
        return self.out(self.embed(tokens).mean(1))


torch.manual_seed(0)
generator, critic = TextGenerator(4, 8), TextCritic(8, 6)
optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
for _ in range(2):
    loss = nn.functional.softplus(-critic(generator(torch.randn(6, 4)))).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(generator.logits.weight.grad, critic.out.weight.grad.norm())
