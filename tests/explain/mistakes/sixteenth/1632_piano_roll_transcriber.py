import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)


class Transcriber(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 24, batch_first=True)
        self.velocity = nn.Linear(24, 1)

    def forward(self, mel):
        h, _ = self.rnn(mel)
        return self.velocity(h)


model = Transcriber()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
mel = torch.randn(16, 12, 6)
velocity = 30 * mel.abs().mean(-1, keepdim=True)
clip = 3.0
for i in range(60):
    loss = nn.functional.mse_loss(model(mel), velocity, reduction="sum") / 16
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    clip_grad_norm_(model.parameters(), clip)
    print(i, loss.item())
