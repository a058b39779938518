import torch


class LogisticRegression:
    def __init__(self, features):
        self.w = torch.zeros(features, requires_grad=True)
        self.b = torch.zeros(1, requires_grad=True)

    def loss(self, x, y):
        logits = x @ self.w + self.b
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, y)

    def update(self, lr):
        with torch.no_grad():
            self.w = self.w - lr * self.w.grad
            self.b = self.b - lr * self.b.grad


torch.manual_seed(0)
model = LogisticRegression(3)
x = torch.randn(20, 3)
y = (x[:, 0] > 0).float()
for step in range(5):
    loss = model.loss(x, y)
    loss.backward()
    model.update(0.1)
    print(step, loss.item())
