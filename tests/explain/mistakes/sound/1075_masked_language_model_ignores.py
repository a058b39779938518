import torch
from torch import nn

torch.manual_seed(0)
V = 24
model = nn.Sequential(
    nn.Embedding(V, 16),
    nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True),
    nn.Linear(16, V),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    ids = torch.randint(1, V, (6, 10))
    hidden = torch.rand(6, 10) < 0.3
    hidden[:, 0] = True
    labels = ids.masked_fill(~hidden, -100)
    logits = model(ids.masked_fill(hidden, 0))
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
