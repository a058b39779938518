import torch
from torch import nn, optim


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, stride=2)
        self.fc = nn.Linear(4 * 9, 5)

    def forward(self, x):
        x = torch.relu(self.conv(x)).flatten(1)
        return nn.functional.log_softmax(self.fc(x), dim=0)


torch.manual_seed(0)
net = Digits()
opt = optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for _ in range(6):
    images, digits = torch.rand(12, 1, 8, 8), torch.randint(0, 5, (12,))
    log_p = net(images)
    loss = nn.functional.nll_loss(log_p, digits)
    opt.zero_grad()
    loss.backward()
    opt.step()
