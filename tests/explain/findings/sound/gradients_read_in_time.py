import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
norms = []
optimizer.zero_grad()
for k in range(8):
    x = torch.randn(16, 4)
    (nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)) / 4).backward()
    if (k + 1) % 4 == 0:
        norms.append([float(p.grad.norm()) for p in net.parameters()])
        optimizer.step()
        optimizer.zero_grad()
        assert all(p.grad is None for p in net.parameters())
