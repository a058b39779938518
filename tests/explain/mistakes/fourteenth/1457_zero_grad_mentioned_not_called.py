import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(60, 4)
y = x @ torch.tensor([[1.0], [2.0], [-1.0], [0.5]]) + 0.1 * torch.randn(60, 1)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def lossf():
    return nn.functional.mse_loss(model(x), y)


for epoch in range(20):
    opt.zero_grad
    loss = lossf()
    loss.backward()
    opt.step()
    print(epoch, loss.item())
