import torch
from torch import nn

torch.manual_seed(0)
T, V = 80, 10
emb = nn.Embedding(V, 16)
rnn = nn.GRU(16, 16, batch_first=True)
out = nn.Linear(16, V)
opt = torch.optim.Adam([*emb.parameters(), *rnn.parameters(), *out.parameters()], lr=1e-3)


def sequence_nll(probs, tokens):
    picked = probs.gather(2, tokens.unsqueeze(2)).squeeze(2)
    return -picked.prod(1).log().mean()


for step in range(2):
    seq = torch.randint(0, V, (4, T + 1))
    h, _ = rnn(emb(seq[:, :-1]))
    loss = sequence_nll(out(h).softmax(-1), seq[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
