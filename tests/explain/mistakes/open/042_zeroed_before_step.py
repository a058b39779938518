import torch
import torch.nn as nn


def run_batch(model, x, y, optimizer, scheduler):
    output = model(x)
    loss = nn.functional.cross_entropy(output, y)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.zero_grad()
    optimizer.step()
    scheduler.step()
    return loss.item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
start = model[0].weight.detach().clone()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
x, y = torch.randn(10, 4), torch.randint(0, 3, (10,))
for epoch in range(5):
    print(run_batch(model, x, y, optimizer, scheduler))
