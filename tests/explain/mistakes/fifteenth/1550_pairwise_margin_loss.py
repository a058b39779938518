import torch
import torch.nn as nn

torch.manual_seed(0)
embed = nn.Linear(10, 4)
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
x = torch.randn(12, 10)
labels = torch.randint(0, 3, (12,))
same = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()


def contrastive(z, margin=1.0):
    diff = z.unsqueeze(0) - z.unsqueeze(1)
    dist = diff.pow(2).sum(dim=2).sqrt()
    pull = same * dist.pow(2)
    push = (1 - same) * torch.relu(margin - dist).pow(2)
    return (pull + push).mean()


for step in range(3):
    loss = contrastive(embed(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
