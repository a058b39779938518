import torch
from torch import nn

config = {"lr": 1e-8, "epochs": 8, "hidden": 16}


def build(config):
    net = nn.Sequential(nn.Linear(3, config["hidden"]), nn.ReLU(), nn.Linear(config["hidden"], 1))
    return net, torch.optim.SGD(net.parameters(), lr=config["lr"])


torch.manual_seed(0)
net, optimizer = build(config)
x = torch.randn(32, 3)
y = x.pow(2).sum(1, keepdim=True)
losses = []
for epoch in range(config["epochs"]):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
