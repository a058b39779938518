import torch
from torch import nn


class Recogniser(nn.Module):
    def __init__(self, bands, symbols):
        super().__init__()
        self.rnn = nn.GRU(bands, 16, batch_first=True)
        self.out = nn.Linear(16, symbols)

    def forward(self, sound):
        return self.out(self.rnn(sound)[0]).log_softmax(-1)


torch.manual_seed(0)
model = Recogniser(8, 6)
criterion = nn.CTCLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
sound, text = torch.randn(3, 20, 8), torch.randint(1, 6, (3, 4))
sizes, lengths = torch.full((3,), 20), torch.full((3,), 4)
loss = criterion(model(sound), text, sizes, lengths)
optimizer.zero_grad()
loss.backward()
optimizer.step()
