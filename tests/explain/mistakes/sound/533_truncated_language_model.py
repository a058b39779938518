import torch
from torch import nn


class Language(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.embed = nn.Embedding(words, size, padding_idx=0)
        self.rnn = nn.LSTM(size, size, batch_first=True)
        self.out = nn.Linear(size, words)

    def forward(self, words, state=None):
        h, state = self.rnn(self.embed(words), state)
        return self.out(h), state


torch.manual_seed(0)
model = Language(12, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
text, state = torch.randint(0, 12, (2, 41)), None
for start in range(0, 40, 10):
    x, y = text[:, start : start + 10], text[:, start + 1 : start + 11]
    scores, state = model(x, state)
    state = tuple(part.detach() for part in state)
    loss = nn.functional.cross_entropy(scores.transpose(1, 2), y, ignore_index=0)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
