import torch
from torch import nn


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(25, 8)
        self.rnn = nn.GRU(8, 12, batch_first=True)
        self.fc = nn.Linear(12, 2)

    def forward(self, ids):
        _, h = self.rnn(self.emb(ids))
        return self.fc(h[-1])


torch.manual_seed(0)
net = Sentiment()
loss_fn = nn.NLLLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
ids = torch.randint(0, 25, (24, 6))
y = (ids[:, 0] > 12).long()
for epoch in range(30):
    loss = loss_fn(net(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
