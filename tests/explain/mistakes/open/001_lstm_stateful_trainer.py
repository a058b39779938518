import torch
import torch.nn as nn


class CharModel(nn.Module):
    def __init__(self, vocab, size):
        super().__init__()
        self.embed = nn.Embedding(vocab, size)
        self.lstm = nn.LSTM(size, size, batch_first=True)
        self.out = nn.Linear(size, vocab)
        self.hidden = None

    def forward(self, x):
        x = self.embed(x)
        x, self.hidden = self.lstm(x, self.hidden)
        return self.out(x)


torch.manual_seed(0)
model = CharModel(11, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
text = torch.randint(0, 11, (2, 13))
for start in range(0, 12, 4):
    chunk, target = text[:, start:start + 4], text[:, start + 1:start + 5]
    optimizer.zero_grad()
    logits = model(chunk)
    loss = nn.functional.cross_entropy(logits.reshape(-1, 11), target.reshape(-1))
    loss.backward()
    optimizer.step()
