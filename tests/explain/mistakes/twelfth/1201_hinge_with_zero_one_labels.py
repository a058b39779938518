import torch
from torch import nn


class SVM(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = nn.Linear(n, 1)

    def forward(self, x):
        return self.w(x).squeeze(1)


def hinge(score, y):
    return torch.clamp(1 - y * score, min=0).mean()


torch.manual_seed(0)
svm = SVM(5)
opt = torch.optim.SGD(svm.parameters(), lr=0.1, weight_decay=1e-3)
x = torch.randn(60, 5)
y = (x @ torch.randn(5) > 0).float()
for _ in range(20):
    score = svm(x)
    loss = hinge(score, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
