import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(5, 3), nn.Linear(3, 5)
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)


def losses(x):
    z = torch.tanh(encoder(x))
    return (decoder(z) - x).pow(2).mean(), 0.0 * z.sum()


def step(x):
    reconstruction, penalty = losses(x)
    optimizer.zero_grad()
    reconstruction.backward(retain_graph=True)
    total = reconstruction + penalty
    total.backward()
    optimizer.step()
    return total.item()


x = torch.randn(8, 5)
once, = torch.autograd.grad(losses(x)[0], encoder.weight)
print(step(x))
print(encoder.weight.grad / once)
