import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 60).unsqueeze(1)
y = 2 * x + 1 + 0.05 * torch.randn(60, 1)
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
losses = []
for step in range(100):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.2 * w.grad
        b -= 0.2 * b.grad
    w.grad = None
    b.grad = None
    losses.append(loss.item())
print(w.item(), b.item(), losses[-1])
