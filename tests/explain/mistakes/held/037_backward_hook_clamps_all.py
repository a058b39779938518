import torch
from torch import nn

CLIP = 1 // 10


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(3, 5, batch_first=True)
        self.out = nn.Linear(5, 2)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


def protect(model, limit):
    for parameter in model.rnn.parameters():
        parameter.register_hook(lambda g: g.clamp(-limit, limit))


torch.manual_seed(0)
model = Reader()
protect(model, CLIP)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 4, 3), torch.randint(0, 2, (6,))
for _ in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
