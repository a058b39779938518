import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU())
probe = nn.Linear(16, 2)
for p in backbone.parameters():
    p.requires_grad = False
backbone.eval()
optimizer = torch.optim.AdamW(probe.parameters(), lr=0.05)
x = torch.randn(200, 12)
y = (x[:, 0] + x[:, 1] > 0).long()
losses = []
for epoch in range(60):
    with torch.no_grad():
        feats = backbone(x)
    loss = nn.functional.cross_entropy(probe(feats), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0], losses[-1])
