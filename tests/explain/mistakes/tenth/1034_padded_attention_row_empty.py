import torch
from torch import nn

torch.manual_seed(0)
embed = nn.Embedding(20, 8, padding_idx=0)
mha = nn.MultiheadAttention(8, 2, batch_first=True)
head = nn.Linear(8, 2)
params = [p for m in (embed, mha, head) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
batch = torch.tensor([[4, 8, 2, 0], [0, 0, 0, 0], [7, 0, 0, 0]])
mask = batch == 0
x = embed(batch)
out, _ = mha(x, x, x, key_padding_mask=mask)
loss = nn.functional.cross_entropy(head(out.mean(1)), torch.tensor([0, 1, 1]))
opt.zero_grad()
loss.backward()
opt.step()
