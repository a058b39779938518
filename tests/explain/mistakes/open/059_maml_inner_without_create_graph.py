import torch
import torch.nn as nn


class Learner(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 4)
        self.head = nn.Parameter(torch.zeros(4, 1))
        self.log_lr = nn.Parameter(torch.tensor(-1.0))

    def adapt(self, x, y):
        head = self.head
        for _ in range(2):
            inner = ((self.embed(x) @ head - y) ** 2).mean()
            grad, = torch.autograd.grad(inner, head)
            with torch.no_grad():
                head = head - self.log_lr.exp() * grad
            head.requires_grad_()
        return head

    def forward(self, support, query):
        return self.embed(query[0]) @ self.adapt(*support)


torch.manual_seed(0)
learner = Learner()
task = lambda: (torch.randn(6, 3), torch.randn(6, 1))
support, query = task(), task()
loss = (learner(support, query) - query[1]).pow(2).mean()
loss.backward()
print(learner.log_lr.grad, learner.head.grad)
