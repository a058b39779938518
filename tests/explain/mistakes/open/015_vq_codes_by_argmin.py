import torch
import torch.nn as nn


class VQ(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.encoder = nn.Linear(6, width)
        self.codebook = nn.Embedding(codes, width)
        self.decoder = nn.Linear(width, 6)

    def quantise(self, z):
        distance = (z.unsqueeze(1) - self.codebook.weight).pow(2).sum(-1)
        codes = distance.argmin(dim=1)
        return self.codebook(codes)

    def forward(self, x):
        return self.decoder(self.quantise(self.encoder(x)))


torch.manual_seed(0)
model = VQ(8, 3)
x = torch.randn(10, 6)
loss = nn.functional.mse_loss(model(x), x)
loss.backward()
for name, p in model.named_parameters():
    print(name, p.grad is not None)
