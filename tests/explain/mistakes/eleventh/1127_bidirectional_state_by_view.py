import torch
from torch import nn


class Polarity(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(5, 7, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(14, 1)

    def summary(self, h):
        return h.view(h.shape[1], -1)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.fc(self.summary(h)), h


torch.manual_seed(0)
net = Polarity()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(8, 6, 5), torch.randint(0, 2, (8, 1)).float()
score, h = net(x)
loss = nn.functional.binary_cross_entropy_with_logits(score, y)
loss.backward()
opt.step()
summary = net.summary(h)
