import torch
import torch.nn.functional as F
from torch import nn


class Grader(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        return F.log_softmax(self.out(torch.tanh(self.body(x))), dim=1)


def expected_nll(log_probs, grades):
    picked = log_probs.gather(1, grades[:, None])
    return -torch.log(picked).mean()


torch.manual_seed(0)
model = Grader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss = expected_nll(model(torch.randn(6, 8)), torch.randint(0, 5, (6,)))
optimizer.zero_grad()
loss.backward()
optimizer.step()
