import torch
from torch import nn


class MarkovModel(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.transition = nn.Parameter(torch.zeros(states, states))

    def forward(self, path):
        probs = torch.softmax(self.transition, dim=1)
        return probs[path[:-1], path[1:]]


def negative_log_likelihood(model, path):
    likelihood = model(path).prod()
    return -torch.log(likelihood)


torch.manual_seed(0)
model = MarkovModel(6)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
path = torch.randint(0, 6, (120,))
loss = negative_log_likelihood(model, path)
optimizer.zero_grad()
loss.backward()
optimizer.step()
print(loss.item(), model.transition.grad)
