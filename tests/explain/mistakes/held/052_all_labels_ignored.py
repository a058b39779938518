import torch
from torch import nn


def mask_prompt(tokens, prompt_length):
    labels = tokens.clone()
    labels[:, :prompt_length] = -100
    return labels


class TinyLM(nn.Module):
    def __init__(self, vocab, d):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.head = nn.Linear(d, vocab)

    def forward(self, tokens, labels):
        logits = self.head(torch.tanh(self.embed(tokens)))
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)


torch.manual_seed(0)
model = TinyLM(10, 6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for length, prompt in [(8, 3), (6, 4), (5, 5)]:
    tokens = torch.randint(0, 10, (1, length))
    loss = model(tokens, mask_prompt(tokens, prompt))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
