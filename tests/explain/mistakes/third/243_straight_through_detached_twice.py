import torch
from torch import nn


class Binary(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.Linear(10, 6), nn.Linear(6, 10)

    def code(self, h):
        hard = (h > 0).float()
        return h.detach() + (hard - h).detach()

    def forward(self, x):
        return self.decoder(self.code(torch.tanh(self.encoder(x))))


torch.manual_seed(0)
model = Binary()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(16, 10)
for epoch in range(3):
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
