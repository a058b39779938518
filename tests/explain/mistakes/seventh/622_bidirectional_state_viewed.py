import torch
from torch import nn


class Sentences(nn.Module):
    def __init__(self, words, size):
        super().__init__()
        self.embed = nn.Embedding(words, size)
        self.rnn = nn.GRU(size, size, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * size, 2)

    def forward(self, words):
        global state, code
        _, state = self.rnn(self.embed(words))
        code = state.view(len(words), -1)
        return self.out(code)


torch.manual_seed(0)
model = Sentences(20, 6)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    words, y = torch.randint(0, 20, (5, 7)), torch.randint(0, 2, (5,))
    loss = nn.functional.cross_entropy(model(words), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
