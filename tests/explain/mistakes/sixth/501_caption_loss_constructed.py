import torch
from torch import nn


class Captioner(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.rnn = nn.GRU(8, 16, batch_first=True)
        self.out = nn.Linear(16, 20)

    def forward(self, words):
        states, _ = self.rnn(self.embed(words))
        return self.out(states)


torch.manual_seed(0)
model = Captioner()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
words = torch.randint(0, 20, (4, 7))
scores = model(words[:, :-1])
loss = nn.CrossEntropyLoss(scores.flatten(0, 1), words[:, 1:].flatten())
loss.backward()
optimizer.step()
