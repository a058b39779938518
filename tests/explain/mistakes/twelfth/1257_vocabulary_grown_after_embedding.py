import torch
from torch import nn

torch.manual_seed(0)
vocab = {}
texts = ["to be or not to be", "that is the question", "be that"]
ids = [torch.tensor([vocab.setdefault(w, len(vocab) + 1) for w in t.split()]) for t in texts]
emb = nn.Embedding(len(vocab), 6)
out = nn.Linear(6, 2)
opt = torch.optim.SGD([*emb.parameters(), *out.parameters()], lr=0.1)
labels = torch.tensor([0, 1, 1])
for i, y in zip(ids, labels):
    logits = out(emb(i).mean(0, keepdim=True))
    loss = nn.functional.cross_entropy(logits, y[None])
    opt.zero_grad()
    loss.backward()
    opt.step()
