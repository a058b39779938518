import torch
import torch.nn.functional as F
from torch import nn


def classify(images, prototypes, temperature=0.1):
    return F.normalize(images, dim=1) @ prototypes.T / temperature


torch.manual_seed(3)
text, vision = nn.Embedding(5, 8), nn.Linear(12, 8)
optimizer = torch.optim.AdamW([*text.parameters(), *vision.parameters()], lr=1e-3)
prototypes = F.normalize(text(torch.arange(5)), dim=1)
for step in range(3):
    x, y = torch.randn(6, 12), torch.randint(0, 5, (6,))
    loss = F.cross_entropy(classify(vision(x), prototypes), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
