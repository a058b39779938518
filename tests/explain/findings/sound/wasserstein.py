import pullback as torch
from pullback import nn

torch.manual_seed(0)
maker = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
critic = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
maker_step = torch.optim.Adam(maker.parameters(), 1e-3)
critic_step = torch.optim.Adam(critic.parameters(), 1e-3)
for _ in range(3):
    for _ in range(2):
        real, fake = torch.randn(6, 2) + 3, maker(torch.randn(6, 3)).detach()
        mix = torch.rand(6, 1)
        between = (mix * real + (1 - mix) * fake).requires_grad_(True)
        (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        loss = critic(fake).mean() - critic(real).mean() + 10 * (slope.norm(dim=1) - 1).pow(2).mean()
        critic_step.zero_grad()
        loss.backward()
        critic_step.step()
    maker_loss = -critic(maker(torch.randn(6, 3))).mean()
    maker_step.zero_grad()
    maker_loss.backward()
    maker_step.step()
