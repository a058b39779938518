import torch
from torch import nn


def contrast(embed, triples):
    total = 0.0
    for anchor, positive, negative in triples:
        near = (embed(anchor) - embed(positive)).norm().item()
        far = (embed(anchor) - embed(negative)).norm().item()
        total += max(0.0, near - far + 1.0)
    return total / len(triples)


torch.manual_seed(0)
embed = nn.Linear(5, 3)
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
loss = contrast(embed, torch.randn(4, 3, 5))
optimizer.zero_grad()
loss.backward()
optimizer.step()
