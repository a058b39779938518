import torch
from torch import nn


class Activity(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(2, 16)
        self.fc = nn.Linear(16, 3)

    def forward(self, x):
        out, _ = self.rnn(x)
        return self.fc(out[:, -1])


torch.manual_seed(0)
model = Activity()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(40, 15, 2).cumsum(1)
y = (x[:, :, 0].mean(1) > 0).long() + (x[:, :, 1].mean(1) > 0).long()
for epoch in range(15):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
