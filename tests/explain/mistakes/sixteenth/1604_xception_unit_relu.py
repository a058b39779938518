import torch
import torch.nn as nn


class XUnit(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.identity_conv = nn.Conv2d(cin, cout, 1)
        self.activ = nn.ReLU(inplace=True)
        self.body = nn.Conv2d(cin, cout, 3, padding=1)

    def forward(self, x):
        identity = self.identity_conv(x)
        x = self.activ(x)
        x = self.body(x)
        return x + identity


class SmallXception(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.units = nn.Sequential(XUnit(8, 8), XUnit(8, 16))
        self.output = nn.Linear(16, 5)

    def forward(self, x):
        return self.output(self.units(self.stem(x)).mean((2, 3)))


torch.manual_seed(0)
model = SmallXception()
images, target = torch.randn(4, 3, 12, 12), torch.randint(0, 5, (4,))
loss = nn.CrossEntropyLoss()(model(images), target)
loss.backward()
