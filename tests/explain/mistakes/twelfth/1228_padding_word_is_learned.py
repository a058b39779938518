import torch
from torch import nn

torch.manual_seed(0)
vocab = {w: i for i, w in enumerate(["the", "cat", "sat", "mat", "dog", "ran"])}
emb = nn.Embedding(len(vocab), 5, padding_idx=0)
nn.init.normal_(emb.weight)
out = nn.Linear(5, 2)
opt = torch.optim.Adam([*emb.parameters(), *out.parameters()], lr=0.1)
texts = ["the cat sat", "the dog ran", "the mat sat", "the cat ran"]
ids = torch.tensor([[vocab[w] for w in t.split()] for t in texts])
y = torch.tensor([0, 1, 0, 1])
for _ in range(5):
    loss = nn.functional.cross_entropy(out(emb(ids).mean(1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
