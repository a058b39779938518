import pullback as torch
from pullback import nn


class Prototypes(nn.Module):
    def __init__(self, classes, width):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(classes, width))

    def forward(self, z, labels):
        return nn.functional.cross_entropy(-torch.cdist(z, self.centres), labels)


def optimizer_for(module):
    return torch.optim.AdamW(module.parameters(), lr=1e-2)  # <-- culprit


torch.manual_seed(2)
encoder = nn.Sequential(nn.Linear(7, 16), nn.Tanh(), nn.Linear(16, 5))
criterion = Prototypes(3, 5)
step = optimizer_for(encoder)
for _ in range(5):
    labels = torch.randint(0, 3, (24,))
    loss = criterion(encoder(torch.randn(24, 7) + labels[:, None]), labels)
    step.zero_grad()
    loss.backward()
    step.step()
