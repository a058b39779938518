import torch
from torch import nn

torch.manual_seed(0)
emb, body = nn.Embedding(10, 4, sparse=False), nn.Linear(4, 1)
opt_emb = torch.optim.SGD(emb.parameters(), lr=1e-4)
opt_body = torch.optim.Adam(body.parameters(), lr=1e-4)
growth = []
ids, y = torch.arange(10), torch.full((10, 1), 5.0)
for _ in range(10):
    loss = nn.functional.mse_loss(body(emb(ids)), y)
    opt_body.zero_grad()
    loss.backward()
    opt_body.step()
    opt_emb.step()
    growth.append(emb.weight.grad.norm().item())
print(growth)
