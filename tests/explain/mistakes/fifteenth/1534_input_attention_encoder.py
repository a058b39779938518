import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, features, hidden, steps):
        super().__init__()
        self.hidden, self.steps = hidden, steps
        self.lstm = nn.LSTMCell(features, hidden)
        self.attn = nn.Linear(features, 1)
        self.state = nn.Linear(2 * hidden, 1)

    def forward(self, x):
        h = torch.zeros(x.size(0), self.hidden)
        c = torch.zeros(x.size(0), self.hidden)
        scores = torch.tanh(self.attn(x)).squeeze(2)
        for t in range(self.steps):
            h, c = self.lstm(x[:, t], (h, c))
            scores[:, t] += self.state(torch.cat((h, c), dim=1)).squeeze(1)
        alpha = torch.softmax(scores, dim=1)
        return (alpha.unsqueeze(2) * x).sum(dim=1)


torch.manual_seed(0)
enc = Encoder(5, 8, 6)
head = nn.Linear(5, 1)
opt = torch.optim.Adam(list(enc.parameters()) + list(head.parameters()), lr=1e-3)
for step in range(3):
    x, y = torch.randn(16, 6, 5), torch.randn(16, 1)
    loss = nn.functional.mse_loss(head(enc(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
