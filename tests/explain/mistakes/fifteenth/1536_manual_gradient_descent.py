import torch

torch.manual_seed(0)
n = 100
x = torch.rand(n, 1) * 4 - 2
y = 3 * x + 0.7 + 0.1 * torch.randn(n, 1)
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
learning_rate = 0.05

for epoch in range(50):
    y_hat = x @ w + b
    loss = ((y_hat - y) ** 2).mean()
    loss.backward()
    w -= learning_rate * w.grad
    b -= learning_rate * b.grad
    w.grad.zero_()
    b.grad.zero_()
    if epoch % 10 == 0:
        print(epoch, loss.item())
print(w, b)
