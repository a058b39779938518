import torch
from torch import nn


def masked_lm_loss(logits, targets, mask):
    losses = nn.functional.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return (losses * mask).sum() / mask.sum()


def random_mask(shape, p):
    return (torch.rand(shape) < p).float()


torch.manual_seed(3)
embed, lm = nn.Embedding(9, 5), nn.Linear(5, 9)
optimizer = torch.optim.Adam([*embed.parameters(), *lm.parameters()], lr=1e-3)
for step in range(6):
    tokens = torch.randint(0, 9, (1, 4))
    mask = random_mask(tokens.shape, 0.15)
    loss = masked_lm_loss(lm(embed(tokens)), tokens, mask)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
