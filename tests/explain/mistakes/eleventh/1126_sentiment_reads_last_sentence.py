import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(30, 8)
lstm = nn.LSTM(8, 16, batch_first=True)
fc = nn.Linear(16, 2)
params = [*emb.parameters(), *lstm.parameters(), *fc.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
ids = torch.randint(0, 30, (6, 9))
labels = torch.tensor([0, 1, 1, 0, 1, 0])
for _ in range(3):
    out, _ = lstm(emb(ids))
    logits = fc(out[-1])
    loss = nn.functional.cross_entropy(logits[:6], labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
