import torch
from torch import nn


def warmup(optimizer, steps):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, step / steps))


def train(model, batches, optimizer, scheduler):
    for epoch in range(2):
        for x, y in batches:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            print(epoch, loss.item())
    scheduler.step()


torch.manual_seed(0)
model = nn.Linear(5, 3)
start = model.weight.detach().clone()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
scheduler = warmup(optimizer, 100)
batches = [(torch.randn(8, 5), torch.randint(0, 3, (8,))) for _ in range(4)]
train(model, batches, optimizer, scheduler)
