import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.LayerNorm(16), nn.SiLU(), nn.Linear(16, 2))
decay = [p for p in net.parameters() if p.ndim > 1]
plain = [p for p in net.parameters() if p.ndim == 1]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=1e-3)
sched = SequentialLR(opt, [LinearLR(opt, 0.1, total_iters=4), CosineAnnealingLR(opt, 16)], [4])
for step in range(20):
    x = torch.randn(32, 5)
    y = (x[:, 0] * x[:, 1] > 0).long()
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
