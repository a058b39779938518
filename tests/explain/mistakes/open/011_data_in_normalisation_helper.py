import torch
from torch import nn


def l2_normalise(z):
    norm = z.pow(2).sum(1, keepdim=True).sqrt()
    return z.data / norm.data.clamp_min(1e-8)


class Siamese(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.scale = nn.Parameter(torch.tensor(5.0))

    def forward(self, a, b):
        za, zb = l2_normalise(self.encoder(a)), l2_normalise(self.encoder(b))
        return self.scale * (za * zb).sum(1)


torch.manual_seed(0)
encoder = nn.Linear(6, 4)
model = Siamese(encoder)
logits = model(torch.randn(8, 6), torch.randn(8, 6))
loss = nn.functional.binary_cross_entropy_with_logits(logits, torch.randint(0, 2, (8,)).float())
loss.backward()
print(encoder.weight.grad, model.scale.grad)
