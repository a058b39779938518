import torch
import torch.nn as nn

torch.manual_seed(5)


class LGIBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.local = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.mix = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim))
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        x = x + self.local(x, x, x)[0]
        x[:, 0] = self.mix(x[:, 0])
        return self.norm(x)


encoder = nn.Sequential(LGIBlock(16), LGIBlock(16))
head = nn.Linear(16, 7)
optimizer = torch.optim.AdamW(list(encoder.parameters()) + list(head.parameters()), lr=1e-3)
clips = torch.randn(4, 9, 16)
labels = torch.randint(0, 7, (4,))
for i in range(2):
    out = head(encoder(clips)[:, 0])
    loss = nn.functional.cross_entropy(out, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
