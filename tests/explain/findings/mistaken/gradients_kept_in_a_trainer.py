import pullback as torch
from pullback import nn


class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.largest = 0.0

    def fit(self, batches):
        for x, y in batches:
            nn.functional.cross_entropy(self.net(x), y).backward()
            self.opt.step()
            self.opt.zero_grad()  # <-- culprit
            self.after()

    def after(self):
        for w in self.net.parameters():
            if w.grad is not None:
                self.largest = max(self.largest, float(w.grad.abs().max()))


torch.manual_seed(1)
Trainer(nn.Linear(5, 3)).fit([(torch.randn(8, 5), torch.randint(0, 3, (8,))) for _ in range(3)])
