import torch
from torch import nn

torch.manual_seed(0)
model = nn.GRU(3, 8, batch_first=True)
params = model.parameters()
print("weights:", sum(p.numel() for p in params))
opt = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(4):
    x = torch.randn(6, 10, 3)
    out, _ = model(x)
    loss = (out[..., :3] - x).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(params, max_norm=1.0)
    opt.step()
    print(loss.item(), float(norm))
