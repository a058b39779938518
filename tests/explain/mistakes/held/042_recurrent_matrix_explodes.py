import torch
from torch import nn


class VanillaRNN(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.w_x = nn.Parameter(torch.randn(n_in, hidden) * 0.1)
        self.w_h = nn.Parameter(torch.randn(hidden, hidden) * 1.5)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        h = x.new_zeros(x.size(0), self.w_h.size(0))
        for t in range(x.size(1)):
            h = x[:, t] @ self.w_x + h @ self.w_h
        return self.out(h)


torch.manual_seed(0)
model = VanillaRNN(2, 6)
x, y = torch.randn(4, 15, 2), torch.randn(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
loss = nn.functional.l1_loss(model(x), y)
loss.backward()
optimizer.step()
print(loss.item(), {n: p.grad.norm().item() for n, p in model.named_parameters()})
