import torch
from torch import nn


class RLLearner:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        self.step = 0

    def train_step(self, inputs, targets):
        values = self.model(inputs)
        loss = nn.functional.mse_loss(values, targets)
        loss.backward()
        self.optimizer.step()
        self.step += 1
        return loss.item()


torch.manual_seed(0)
inputs = torch.randn(128, 8)
targets = inputs.sum(1, keepdim=True) * 0.5 + torch.sin(inputs[:, :1])
learner = RLLearner(nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)), lr=0.05)
losses = []
for it in range(120):
    losses.append(learner.train_step(inputs, targets))
    if it % 20 == 0:
        print(learner.step, losses[-1])
