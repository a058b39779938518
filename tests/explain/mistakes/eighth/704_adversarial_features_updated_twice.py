import torch
from torch import nn


def adversarial(encoder, critic, a, b):
    za, zb = encoder(a), encoder(b)
    return za, critic(za).mean() - critic(zb).mean()


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4))
critic, task = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)), nn.Linear(4, 2)
e_optimizer = torch.optim.Adam([*encoder.parameters(), *task.parameters()], lr=1e-3)
c_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(2):
    a, b, y = torch.randn(5, 6), torch.randn(5, 6), torch.randint(0, 2, (5,))
    za, gap = adversarial(encoder, critic, a, b)
    c_optimizer.zero_grad()
    (-gap).backward(retain_graph=True)
    c_optimizer.step()
    loss = nn.functional.cross_entropy(task(za), y) + gap
    e_optimizer.zero_grad()
    loss.backward()
    e_optimizer.step()
