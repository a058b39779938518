import torch
import torch.nn as nn


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.first_norm = None

    def training_step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        if self.first_norm is None:
            self.first_norm = self.model.weight.grad.norm()
        return loss.item()

    def fit(self, batches):
        return [self.training_step(x, y) for x, y in batches]


torch.manual_seed(0)
x = torch.randn(16, 3)
y = x @ torch.tensor([[2.0], [-1.0], [4.0]])
trainer = Trainer(nn.Linear(3, 1), lr=0.001)
print(trainer.fit([(x, y)] * 12))
