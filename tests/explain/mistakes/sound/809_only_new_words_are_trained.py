import torch
from torch import nn

torch.manual_seed(0)
embed, out = nn.Embedding(10, 4), nn.Linear(4, 2)
keep = torch.zeros(10, 1)
keep[8:] = 1
embed.weight.register_hook(lambda g: g * keep)
optimizer = torch.optim.SGD([*embed.parameters(), *out.parameters()], lr=0.1)
for _ in range(3):
    t, y = torch.randint(0, 10, (6, 5)), torch.randint(0, 2, (6,))
    loss = nn.functional.cross_entropy(out(embed(t).mean(1)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
