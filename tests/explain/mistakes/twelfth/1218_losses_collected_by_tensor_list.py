import torch
from torch import nn

torch.manual_seed(0)
heads = nn.ModuleList(nn.Linear(6, 3) for _ in range(3))
gate = nn.Parameter(torch.zeros(3))
opt = torch.optim.Adam([*heads.parameters(), gate], lr=1e-2)
x = torch.randn(15, 6)
targets = torch.randint(0, 3, (3, 15))
for _ in range(3):
    losses = [nn.functional.cross_entropy(h(x), t) for h, t in zip(heads, targets)]
    losses = torch.FloatTensor([v.item() for v in losses])
    loss = (gate.softmax(0) * losses).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
