"""The model is replaced by a copy after the optimizer was made."""

import copy

import pullback as torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
net = copy.deepcopy(net).double()  # <-- culprit
x, y = torch.randn(16, 3).double(), torch.randn(16, 1).double()
for _ in range(4):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
