import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 8)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def entropy(p):
    plogp = torch.where(p > 0, p * torch.log(p), torch.zeros_like(p))
    return -plogp.sum(-1)


def sparse_probs(z):
    p = torch.relu(z)
    return p / (p.sum(-1, keepdim=True) + 1e-6)


x = torch.randn(16, 5)
for step in range(3):
    loss = entropy(sparse_probs(net(x))).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
