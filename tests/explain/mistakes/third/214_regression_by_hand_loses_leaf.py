import torch

torch.manual_seed(0)
x = torch.randn(20, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.1 * torch.randn(20)
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
rate = 0.1
for epoch in range(5):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    w = w - rate * w.grad
    b = b - rate * b.grad
    print(epoch, loss.item())
