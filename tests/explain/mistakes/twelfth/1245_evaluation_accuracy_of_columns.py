import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(40, 4)
y = (x.sum(1) > 0).float()
for _ in range(20):
    logits = net(x)
    loss = nn.functional.binary_cross_entropy_with_logits(logits[:, 0], y)
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    guess = (net(x) > 0).float()
    accuracy = (guess == y).sum().item() / len(y)
print(accuracy)
