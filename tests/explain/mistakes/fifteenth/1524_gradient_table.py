import torch
import torch.nn as nn

torch.manual_seed(0)
in_dim, out_dim = 5, 2
inputs = torch.randn(8, in_dim)
target = torch.randint(0, out_dim, (8,))
model = nn.Sequential(nn.Linear(in_dim, 16), nn.Tanh(), nn.Linear(16, out_dim))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.CrossEntropyLoss()

for step in range(3):
    optimizer.zero_grad()
    out = model(inputs)
    computed_loss = loss(out, target)
    computed_loss.backward()
    norms = [p.grad.norm().item() for p in model.parameters()]
    print(step, computed_loss.item(), norms)
    computed_loss.backward()
    optimizer.step()
