import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Triplets(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(2)
        self.x = torch.randn(30, 6, generator=g)
        self.label = torch.arange(30) % 3

    def __len__(self):
        return 30

    def __getitem__(self, i):
        same = (self.label == self.label[i]).nonzero()[i // 3, 0]
        other = (self.label != self.label[i]).nonzero()[i % 20, 0]
        return self.x[i], self.x[same], self.x[other]


torch.manual_seed(0)
net, criterion = nn.Linear(6, 3), nn.TripletMarginLoss(margin=0.5)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for anchor, positive, negative in DataLoader(Triplets(), 10):
    loss = criterion(net(anchor), net(positive), net(negative))
    opt.zero_grad(); loss.backward(); opt.step()
