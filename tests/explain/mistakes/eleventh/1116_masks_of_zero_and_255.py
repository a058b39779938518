import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Masks(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, k):
        g = torch.Generator().manual_seed(k)
        image = torch.rand(1, 8, 8, generator=g)
        mask = (image > 0.6).to(torch.uint8) * 255
        return image, mask.float()


torch.manual_seed(0)
unet = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 3, padding=1))
opt = torch.optim.Adam(unet.parameters(), lr=1e-2)
for epoch in range(6):
    for image, mask in DataLoader(Masks(), batch_size=4):
        loss = nn.functional.binary_cross_entropy_with_logits(unet(image), mask)
        opt.zero_grad()
        loss.backward()
        opt.step()
