import torch
from torch import nn


class SelfAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.last = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / k.shape[-1] ** 0.5
        weights = torch.softmax(scores, dim=1)
        self.last = weights.detach()
        return self.proj(weights @ v)


torch.manual_seed(0)
model = SelfAttention(8)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
x = torch.randn(4, 5, 8)
loss = nn.functional.mse_loss(model(x), x.roll(1, dims=1))
loss.backward()
opt.step()
