import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(8, 12), nn.Linear(12, 4)

    def forward(self, x):
        mid = self.a(x).sigmoid()
        shifted = F.dropout(mid, 0.2, self.training, inplace=True)
        return self.b(shifted)


torch.manual_seed(0)
enc = Encoder()
decoder = nn.Linear(4, 8)
x = torch.rand(16, 8)
loss = F.mse_loss(decoder(enc(x)), x)
loss.backward()
print(enc.a.weight.grad.norm())
