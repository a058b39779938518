import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
probe = nn.Linear(32, 5)
opt = torch.optim.AdamW(probe.parameters(), lr=1e-3)


@torch.inference_mode()
def embed(x):
    backbone.eval()
    return backbone(x)


x = torch.randn(30, 16)
y = torch.randint(0, 5, (30,))
cache = embed(x)
for epoch in range(3):
    logits = probe(cache)
    loss = nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
