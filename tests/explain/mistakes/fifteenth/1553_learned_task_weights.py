import torch
import torch.nn as nn


class MultiTaskLoss(nn.Module):
    def __init__(self, model, loss_fn, eta):
        super().__init__()
        self.model, self.loss_fn = model, loss_fn
        self.eta = nn.Parameter(torch.tensor(eta))

    def forward(self, input, targets):
        losses = [l(o, y) for l, o, y in zip(self.loss_fn, self.model(input), targets)]
        total_loss = torch.Tensor(losses) * torch.exp(-self.eta) + self.eta
        return losses, total_loss.sum()


class MultiTaskModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.f1, self.f2 = nn.Linear(5, 1, bias=False), nn.Linear(5, 1, bias=False)

    def forward(self, input):
        return [self.f1(input).squeeze(1), self.f2(input).squeeze(1)]


torch.manual_seed(0)
model = MultiTaskModel()
mtl = MultiTaskLoss(model, [nn.MSELoss(), nn.MSELoss()], [2.0, 1.0])
x, y1, y2 = torch.randn(30, 5), torch.randn(30), torch.randn(30)
optimizer = torch.optim.SGD(mtl.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    losses, total = mtl(x, [y1, y2])
    total.backward()
    optimizer.step()
