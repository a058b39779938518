import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=10, line_search_fn="strong_wolfe")
x = torch.linspace(-2, 2, 40)[:, None]
y = torch.sin(2 * x)


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return loss


for _ in range(4):
    print(opt.step(closure).item())
