import torch
from torch import nn


class Trainer:
    def __init__(self, model, rate):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=rate)

    def loss(self, x):
        return nn.functional.mse_loss(self.model(x), x.sum(1, keepdim=True))

    def step(self, x):
        loss = self.loss(x)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def evaluate(self, x):
        self.optimizer.zero_grad()
        with torch.no_grad():
            return self.loss(x).item()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1)), 0.01)
norms = []
for epoch in range(2):
    for _ in range(6):
        trainer.step(torch.randn(10, 5))
        norms.append(trainer.model[0].weight.grad.norm())
    print(epoch, trainer.evaluate(torch.randn(20, 5)))
