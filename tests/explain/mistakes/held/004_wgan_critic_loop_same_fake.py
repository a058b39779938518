import torch
from torch import nn


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.Tanh()]
    return nn.Sequential(*layers[:-1])


torch.manual_seed(0)
generator, critic = mlp([3, 8, 2]), mlp([2, 8, 1])
opt_c = torch.optim.RMSprop(critic.parameters(), lr=5e-5)
opt_g = torch.optim.RMSprop(generator.parameters(), lr=5e-5)


def train_critic(real, noise, rounds=3):
    fake = generator(noise)
    for _ in range(rounds):
        opt_c.zero_grad()
        loss = critic(fake).mean() - critic(real).mean()
        loss.backward()
        opt_c.step()
        for p in critic.parameters():
            p.data.clamp_(-0.01, 0.01)
    return loss.item()


print(train_critic(torch.randn(8, 2), torch.randn(8, 3)))
