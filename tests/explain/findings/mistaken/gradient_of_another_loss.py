"""Gradient of another loss."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
generator, critic = nn.Linear(2, 2), nn.Linear(2, 1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
for _ in range(2):
    of_generator.zero_grad()
    of_critic.zero_grad()
    fake = generator(torch.randn(4, 2))
    (critic(fake).mean() - critic(torch.randn(4, 2)).mean()).backward(retain_graph=True)  # <-- culprit
    of_critic.step()
    (-critic(fake).mean()).backward()
    of_generator.step()
