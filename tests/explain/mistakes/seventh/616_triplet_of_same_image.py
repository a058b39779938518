import torch
from torch import nn


class Triplets(torch.utils.data.Dataset):
    def __init__(self, count):
        self.images = torch.rand(count, 10)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, k):
        return self.images[k], self.images[k], self.images[k] + 5


def margin_loss(net, a, p, n, margin=0.2):
    near, far = (net(a) - net(p)).pow(2).sum(1), (net(a) - net(n)).pow(2).sum(1)
    return torch.relu(near - far + margin).mean()


torch.manual_seed(0)
net = nn.Linear(10, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for a, p, n in torch.utils.data.DataLoader(Triplets(6), batch_size=3):
    loss = margin_loss(net, a, p, n)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
