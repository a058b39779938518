import torch
from torch import nn


def cached(function):
    store = {}

    def wrapper(self, x):
        key = x.shape
        if key not in store:
            with torch.no_grad():
                store[key] = function(self, x)
        return store[key]

    return wrapper


class Diffusion(nn.Module):
    def __init__(self, steps, size):
        super().__init__()
        self.embed, self.net = nn.Embedding(steps, size), nn.Linear(2 * size, size)

    @cached
    def times(self, t):
        return self.embed(t)

    def forward(self, x, t):
        return self.net(torch.cat([x, self.times(t)], 1))


torch.manual_seed(0)
model = Diffusion(10, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    x, noise = torch.randn(6, 4), torch.randn(6, 4)
    loss = nn.functional.mse_loss(model(x + noise, torch.randint(0, 10, (6,))), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
