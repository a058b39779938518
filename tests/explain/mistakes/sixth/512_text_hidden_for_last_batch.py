import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, batch):
        super().__init__()
        self.batch = batch
        self.rnn = nn.GRU(5, 8, batch_first=True)
        self.out = nn.Linear(8, 3)

    def start(self):
        return torch.zeros(1, self.batch, 8)

    def forward(self, x):
        hidden = self.start()
        states, _ = self.rnn(x, hidden)
        return self.out(states[:, -1])


torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(10, 7, 5), torch.randint(0, 3, (10,)))
model = Tagger(4)
optimizer = torch.optim.Adam(model.parameters())
for x, y in torch.utils.data.DataLoader(data, batch_size=4):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
