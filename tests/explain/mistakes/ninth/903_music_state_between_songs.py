import torch
from torch import nn


class Composer(nn.Module):
    def __init__(self, notes, size):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(notes, size), nn.LSTM(size, size, batch_first=True)
        self.out = nn.Linear(size, notes)
        self.state = None

    def forward(self, notes):
        h, self.state = self.rnn(self.embed(notes), self.state)
        return self.out(h)


def train(model, optimizer, songs):
    for song in songs:
        scores = model(song[:, :-1])
        loss = nn.functional.cross_entropy(scores.transpose(1, 2), song[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
model = Composer(12, 8)
train(model, torch.optim.Adam(model.parameters()), [torch.randint(0, 12, (2, 9)) for _ in range(3)])
