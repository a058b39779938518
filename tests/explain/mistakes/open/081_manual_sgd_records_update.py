import torch
import warnings

warnings.simplefilter("ignore")


def mlp(x, weights):
    for w in weights[:-1]:
        x = torch.tanh(x @ w)
    return x @ weights[-1]


def step(weights, lr):
    return [w - lr * w.grad for w in weights]


torch.manual_seed(0)
sizes = [3, 8, 1]
weights = [torch.randn(a, b, requires_grad=True) for a, b in zip(sizes[:-1], sizes[1:])]
x, y = torch.randn(15, 3), torch.randn(15, 1)
for epoch in range(4):
    loss = (mlp(x, weights) - y).pow(2).mean()
    loss.backward()
    weights = step(weights, 0.1)
    print(epoch, loss.item())
