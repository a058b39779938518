import torch
import torch.nn as nn


class AdditiveAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)
        self.score = nn.Linear(width, 1)

    def forward(self, states):
        energy = self.score(torch.tanh(self.project(states)))
        weights = torch.softmax(energy, dim=2)
        return (weights * states).sum(1), weights


torch.manual_seed(0)
attention, classifier = AdditiveAttention(4), nn.Linear(4, 2)
states, y = torch.randn(5, 7, 4), torch.randint(0, 2, (5,))
context, weights = attention(states)
loss = nn.functional.cross_entropy(classifier(context), y)
loss.backward()
print(weights[0].squeeze(-1), attention.score.weight.grad)
