import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
TAGS = 5
emb = nn.Embedding(40, 16, padding_idx=0)
lstm = nn.LSTM(16, 16, batch_first=True, bidirectional=True)
head = nn.Linear(32, TAGS)
params = [*emb.parameters(), *lstm.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)

tokens = [torch.randint(1, 40, (n,)) for n in (4, 6, 2)]
tags = [t % TAGS for t in tokens]
x = nn.utils.rnn.pad_sequence(tokens, batch_first=True)
y = nn.utils.rnn.pad_sequence(tags, batch_first=True, padding_value=-1)

for epoch in range(2):
    logits = head(lstm(emb(x))[0])
    loss = F.cross_entropy(logits.reshape(-1, TAGS), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
