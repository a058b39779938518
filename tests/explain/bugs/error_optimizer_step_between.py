"""The discriminator steps before the generator's loss goes back through it.

https://github.com/pytorch/pytorch/issues/39141
"""

import pullback as torch
from pullback import explain

torch.manual_seed(0)
generator = torch.nn.Linear(2, 3)
discriminator = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Sigmoid())
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
real = torch.randn(5, 3)
fake = generator(torch.randn(5, 2))
prob_real = discriminator(real)
prob_fake = discriminator(fake)
d_loss = -torch.mean(torch.log(prob_real) + torch.log(1.0 - prob_fake))
g_loss = torch.mean(torch.log(1.0 - prob_fake))
opt_d.zero_grad()
d_loss.backward(retain_graph=True)
opt_d.step()  # <-- culprit
opt_g.zero_grad()
try:
    g_loss.backward()
except RuntimeError as error:
    answer = explain.why_error(error)
