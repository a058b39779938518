import torch
from torch import nn

torch.manual_seed(0)
N, T, H, D = 4, 5, 2, 3
qkv, out = nn.Linear(6, 18), nn.Linear(6, 6)
optimizer = torch.optim.Adam([*qkv.parameters(), *out.parameters()], lr=1e-3)
for _ in range(2):
    x = torch.randn(N, T, 6)
    q, k, v = qkv(x).view(N, T, 3, H, D).permute(2, 0, 3, 1, 4)
    bias = torch.zeros(T, T).masked_fill(torch.ones(T, T).triu(1).bool(), float("-inf"))
    a = ((q @ k.transpose(-2, -1)) / D**0.5 + bias).softmax(-1)
    y = out((a @ v).transpose(1, 2).reshape(N, T, H * D))
    pairs = y.reshape(N * T, 2, 3)
    loss = (y - x).pow(2).mean() + 0.01 * pairs.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
