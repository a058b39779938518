import torch
from torch import nn


def rms_norm(x, eps=1e-9):
    return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps)


torch.manual_seed(0)
emb = nn.Embedding(10, 6, padding_idx=0).half()
out = nn.Linear(6, 2)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
ids = torch.tensor([[1, 4, 0], [7, 0, 0]])
z = rms_norm(emb(ids))
loss = nn.functional.cross_entropy(out(z.float().mean(1)), torch.tensor([0, 1]))
loss.backward()
opt.step()
