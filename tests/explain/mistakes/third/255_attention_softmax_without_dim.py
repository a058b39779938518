import warnings
import torch
from torch import nn

warnings.simplefilter("ignore")


class SelfAttention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.qkv = nn.Linear(size, 3 * size)
        self.softmax = nn.Softmax()

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        weights = self.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5)
        return weights @ v, weights


torch.manual_seed(0)
layer, head = SelfAttention(8), nn.Linear(8, 2)
optimizer = torch.optim.Adam([*layer.parameters(), *head.parameters()], lr=1e-3)
x, y = torch.randn(4, 5, 8), torch.randint(0, 2, (4,))
for _ in range(3):
    out, weights = layer(x)
    loss = nn.functional.cross_entropy(head(out.mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
