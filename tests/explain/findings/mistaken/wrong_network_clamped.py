"""The weights of the generator are kept in a range."""

import pullback as torch
from pullback import nn

torch.manual_seed(0)
gen, critic = nn.Linear(2, 3), nn.Linear(3, 1)
og, oc = torch.optim.SGD(gen.parameters(), lr=0.01), torch.optim.SGD(critic.parameters(), lr=0.01)
for _ in range(3):
    loss = critic(gen(torch.randn(8, 2)).detach()).mean() - critic(torch.randn(8, 3) + 2).mean()
    oc.zero_grad()
    loss.backward()
    oc.step()
    for p in gen.parameters():
        p.data.clamp_(-0.1, 0.1)  # <-- culprit
    loss = -critic(gen(torch.randn(8, 2))).mean()
    og.zero_grad()
    loss.backward()
    og.step()
