import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
x = torch.randn(50, 6)
y = x.sum(1, keepdim=True) * 3
grads = []
for epoch in range(12):
    opt.zero_grad
    prediction = net(x)
    loss = nn.functional.mse_loss(prediction, y)
    loss.backward()
    grads.append(net.weight.grad.norm().item())
    opt.step()
print(grads)
