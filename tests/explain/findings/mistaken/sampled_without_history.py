"""Sampled without history."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.spread = nn.Linear(4, 2), nn.Linear(4, 2)

    def forward(self, x):
        return torch.distributions.Normal(self.mean(x), self.spread(x).exp()).sample()  # <-- culprit


encoder, decoder = Encoder(), nn.Linear(2, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()])
for _ in range(2):
    x = torch.randn(6, 4)
    loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
