import torch
import torch.nn as nn
from torch.distributions import Normal


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_mean = nn.Linear(6, 2)
        self.to_log_std = nn.Linear(6, 2)
        self.decoder = nn.Linear(2, 6)

    def latent(self, x):
        q = Normal(self.to_mean(x), self.to_log_std(x).exp())
        return q.sample()

    def forward(self, x):
        return self.decoder(self.latent(x))


torch.manual_seed(0)
model = Encoder()
x = torch.randn(9, 6)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(2):
    loss = nn.functional.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(model.to_mean.weight.grad)
