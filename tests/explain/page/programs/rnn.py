import pullback as torch
from pullback import nn

torch.manual_seed(0)
cell = nn.RNNCell(4, 8)
head = nn.Linear(8, 1)
parameters = [*cell.parameters(), *head.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.05)
sequence, target = torch.randn(10, 5, 4), torch.randn(5, 1)

for _ in range(2):
    h = torch.zeros(5, 8)
    for x in sequence:
        h = cell(x, h)
    loss = ((head(h) - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
