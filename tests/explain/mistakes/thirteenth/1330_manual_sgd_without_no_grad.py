import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 50).unsqueeze(1)
y = 3 * x - 0.5 + 0.05 * torch.randn_like(x)
W = torch.zeros(1, 1, requires_grad=True)
c = torch.zeros(1, requires_grad=True)
lr = 0.1

for i in range(20):
    loss = ((x @ W + c - y) ** 2).mean()
    for p in (W, c):
        p.grad = None
    loss.backward()
    for p in (W, c):
        p -= lr * p.grad
print(W.item(), c.item())
