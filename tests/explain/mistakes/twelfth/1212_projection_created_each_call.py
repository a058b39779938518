import torch
from torch import nn
import torch.nn.functional as F


class Fusion(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.text = nn.Linear(10, width)

    def forward(self, text, image):
        proj = nn.Linear(image.shape[1], self.width)
        return F.cosine_similarity(self.text(text), proj(image))


torch.manual_seed(0)
net = Fusion(6)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(8):
    text, image, match = torch.randn(12, 10), torch.randn(12, 7), torch.randint(0, 2, (12,)).float()
    loss = F.mse_loss(net(text, image), match)
    opt.zero_grad()
    loss.backward()
    opt.step()
