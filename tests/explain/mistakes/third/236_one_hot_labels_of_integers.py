import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, classes))

    def loss(self, x, y):
        target = F.one_hot(y, self.classes)
        return F.cross_entropy(self.net(x), target)


torch.manual_seed(0)
model = Classifier(4)
x, y = torch.randn(8, 5), torch.randint(0, 4, (8,))
loss = model.loss(x, y)
loss.backward()
