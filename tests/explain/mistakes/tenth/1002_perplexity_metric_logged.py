import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed, out = nn.Embedding(9, 5), nn.Linear(5, 9)
params = list(embed.parameters()) + list(out.parameters())
opt = torch.optim.Adam(params, lr=3e-3)
tokens = torch.randint(0, 9, (4, 7))
total = 0.0
for i in range(6):
    logits = out(embed(tokens[:, i]))
    total = total + F.cross_entropy(logits, tokens[:, (i + 1) % 7])
    mean = total / (i + 1)
    opt.zero_grad()
    mean.backward()
    opt.step()
    print(f"step {i} ppl {mean.exp().item():.2f}")
