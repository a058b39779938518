import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.h = nn.Linear(6, 6)
        self.head = nn.Linear(6, 2)
        self.mix = nn.Linear(6, 6)

    def forward(self, x):
        return self.head(torch.relu(self.mix(torch.relu(self.h(x)))))


def freeze(model, prefix):
    for name, p in model.named_parameters():
        if name.startswith(prefix):
            p.requires_grad_(False)


torch.manual_seed(0)
net = Net()
freeze(net, "h")
opt = torch.optim.Adam((p for p in net.parameters() if p.requires_grad), lr=1e-3)
loss = nn.functional.cross_entropy(net(torch.randn(9, 6)), torch.randint(0, 2, (9,)))
loss.backward()
opt.step()
