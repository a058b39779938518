import torch
import torch.nn as nn

torch.manual_seed(0)
signals = torch.randn(16, 3, 33)
to_shape = nn.Conv1d(3, 8, kernel_size=2)
training_seq = torch.tanh(to_shape(signals))


class Denoiser(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv1d(channels, 16, 3, padding=1),
            nn.SiLU(),
            nn.Conv1d(16, channels, 3, padding=1),
        )

    def forward(self, x):
        return self.net(x)


model = Denoiser(8)
opt = torch.optim.Adam(model.parameters(), lr=8e-5)
for step in range(4):
    noise = torch.randn(16, 8, 32)
    alpha = torch.rand(16, 1, 1)
    noisy = alpha.sqrt() * training_seq + (1 - alpha).sqrt() * noise
    loss = ((model(noisy) - noise) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
