import torch
from torch import nn

torch.manual_seed(0)
cell = nn.RNNCell(2, 64, nonlinearity='relu')
nn.init.normal_(cell.weight_hh, std=1.0)
readout = nn.Linear(64, 1)
opt = torch.optim.SGD([*cell.parameters(), *readout.parameters()], lr=1e-3)
norms = []
seq = torch.rand(16, 30, 2)
y = (seq[..., 0] * seq[..., 1]).sum(1, keepdim=True)
for step in range(2):
    h = torch.zeros(16, 64)
    for t in range(30):
        h = cell(seq[:, t], h)
    loss = (readout(h) - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    norms.append(cell.weight_hh.grad.norm().item())
    opt.step()
    print(step, loss.item(), norms[-1])
