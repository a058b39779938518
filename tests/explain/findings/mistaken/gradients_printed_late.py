import pullback as torch
from pullback import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)


def norms(module):
    return [0.0 if w.grad is None else float(w.grad.norm()) for w in module.parameters()]


history = []
for _ in range(4):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    net.zero_grad(set_to_none=False)  # <-- culprit
    history.append(norms(net))
