import torch
import torch.nn as nn


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 4), nn.Tanh())
        self.decoder = nn.Linear(4, 8)

    @torch.no_grad()
    def encode(self, x):
        return self.encoder(x)

    def forward(self, x):
        return self.decoder(self.encode(x))


torch.manual_seed(0)
model = AutoEncoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
data = torch.randn(16, 8)
for epoch in range(3):
    loss = nn.functional.mse_loss(model(data), data)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.encoder[0].weight.grad)
