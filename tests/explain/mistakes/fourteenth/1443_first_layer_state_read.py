import torch
from torch import nn


class Intent(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(60, 12)
        self.rnn = nn.LSTM(12, 20, num_layers=2, batch_first=True)
        self.fc = nn.Linear(20, 5)

    def forward(self, ids):
        _, (h, c) = self.rnn(self.emb(ids))
        return self.fc(h[0])


torch.manual_seed(0)
model = Intent()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
ids = torch.randint(0, 60, (30, 7))
y = ids[:, 3] % 5
for epoch in range(6):
    loss = nn.functional.cross_entropy(model(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
