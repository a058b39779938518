import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Cells(Dataset):
    def __init__(self, count):
        self.images = torch.rand(count, 1, 9, 9)
        self.masks = (self.images[:, 0] > 0.5).to(torch.uint8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, k):
        mask = self.masks[k].long()
        mask[0], mask[-1] = 255, 255
        return (self.images[k] - 0.5) / 0.25, mask


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.GroupNorm(2, 6), nn.SiLU(), nn.Conv2d(6, 2, 1))
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
for images, masks in DataLoader(Cells(8), batch_size=4, shuffle=True):
    scores = net(images)
    loss = nn.functional.cross_entropy(scores, masks, ignore_index=255)
    chance = scores.softmax(1)[:, 1]
    keep = (masks != 255).float()
    overlap = (chance * (masks == 1) * keep).sum()
    loss = loss + 1 - (2 * overlap + 1) / ((chance * keep).sum() + (masks == 1).sum() + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
