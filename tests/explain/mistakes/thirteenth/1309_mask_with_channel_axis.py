import torch
from torch import nn
import torch.nn.functional as F


class TinySeg(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.enc = nn.Conv2d(3, 8, 3, padding=1)
        self.dec = nn.Conv2d(8, classes, 1)

    def forward(self, img):
        return self.dec(F.relu(self.enc(img)))


def load_batch():
    img = torch.rand(4, 3, 16, 16)
    mask = (img.mean(1, keepdim=True) * 3).long()
    return img, mask


torch.manual_seed(0)
net = TinySeg(3)
opt = torch.optim.Adam(net.parameters())
for step in range(2):
    images, masks = load_batch()
    logits = net(images)
    loss = F.cross_entropy(logits, masks)
    opt.zero_grad()
    loss.backward()
    opt.step()
