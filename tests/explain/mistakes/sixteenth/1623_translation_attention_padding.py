import math
import torch
import torch.nn as nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, mask):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / math.sqrt(x.size(-1))
        scores = scores.masked_fill(mask[:, None, :], float("-inf"))
        return torch.softmax(scores, dim=-1) @ self.v(x)


torch.manual_seed(0)
PAD = 0
emb = nn.Embedding(30, 16, padding_idx=PAD)
attn = ScaledDotProductAttention(16)
proj = nn.Linear(16, 30)
params = list(emb.parameters()) + list(attn.parameters()) + list(proj.parameters())
opt = torch.optim.Adam(params, lr=1e-3)
src = torch.randint(1, 30, (8, 7))
lengths = torch.tensor([7, 5, 6, 0, 3, 7, 4, 2])
src[torch.arange(7)[None] >= lengths[:, None]] = PAD
for epoch in range(3):
    out = proj(attn(emb(src), src == PAD))
    loss = nn.functional.cross_entropy(out.flatten(0, 1), src.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print("epoch", epoch, "loss", loss.item())
