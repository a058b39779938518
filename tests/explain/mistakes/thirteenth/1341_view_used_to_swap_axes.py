import torch
from torch import nn

torch.manual_seed(0)


def to_batch_first(x):
    t, n, f = x.shape
    return x.view(n, t, f)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 10, batch_first=True)
        self.fc = nn.Linear(10, 1)

    def forward(self, x):
        out, _ = self.rnn(to_batch_first(x))
        return self.fc(out[:, -1])


model = Model()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(8, 32, 1)
y = x.sum(0)
for _ in range(10):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
