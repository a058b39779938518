import torch

a = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
b = torch.tensor([[2.0, 0.5, 1.0], [1.0, 3.0, 0.2]], requires_grad=True)
lr = 0.01
for i in range(3):
    out = a * b + a ** 2
    out.backward()
    print(a.grad)
    with torch.no_grad():
        a -= lr * a.grad
        b -= lr * b.grad
    a.grad.zero_()
    b.grad.zero_()
