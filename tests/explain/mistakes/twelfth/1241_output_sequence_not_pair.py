import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Embedding(20, 6),
    nn.LSTM(6, 10, batch_first=True),
    nn.Linear(10, 20),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(2):
    ids = torch.randint(0, 20, (4, 9))
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
