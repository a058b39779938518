import torch


class LinearModel:
    def __init__(self, n):
        self.w = torch.zeros(n, requires_grad=True)
        self.b = torch.zeros((), requires_grad=True)

    def __call__(self, x):
        return x @ self.w + self.b

    def step(self, lr):
        with torch.no_grad():
            for p in (self.w, self.b):
                p -= lr * p.grad


torch.manual_seed(0)
model = LinearModel(3)
x = torch.randn(30, 3)
y = x @ torch.tensor([1.0, 2.0, -3.0]) + 0.5
norms = []
for epoch in range(15):
    loss = (model(x) - y).pow(2).mean()
    loss.backward()
    norms.append(model.w.grad.norm().item())
    model.step(0.002)
    print(epoch, loss.item())
