import torch
from torch import nn

torch.manual_seed(0)
PAD = 0
model = nn.Sequential(nn.Embedding(16, 8), nn.Linear(8, 16))
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)


def shift(batch):
    return batch[:, :-1], batch[:, 1:]


for batch in (torch.tensor([[4, 7, 2], [9, 3, 0]]), torch.tensor([[5, 0, 0], [8, 0, 0]])):
    inputs, labels = shift(batch)
    logits = model(inputs)
    loss = criterion(logits.flatten(0, 1), labels.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
