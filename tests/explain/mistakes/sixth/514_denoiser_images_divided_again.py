import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Photos(Dataset):
    def __init__(self, count):
        self.images = torch.rand(count, 1, 6, 6) * 255

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        image /= 255
        return image


torch.manual_seed(0)
data = Photos(8)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    for image in DataLoader(data, batch_size=4):
        loss = nn.functional.mse_loss(net(image + 0.1 * torch.randn_like(image)), image)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
