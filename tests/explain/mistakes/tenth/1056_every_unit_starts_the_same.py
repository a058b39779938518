import torch
from torch import nn

torch.manual_seed(0)
mlp = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
with torch.no_grad():
    for p in mlp.parameters():
        p.fill_(0.3 if p.ndim > 1 else 0.0)
opt = torch.optim.Adam(mlp.parameters(), lr=0.05)
x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
for step in range(50):
    loss = nn.functional.binary_cross_entropy_with_logits(mlp(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
