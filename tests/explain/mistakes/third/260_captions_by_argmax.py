import torch
from torch import nn
import torch.nn.functional as F


class Judge(nn.Module):
    def __init__(self, vocab):
        super().__init__()
        self.embed, self.score = nn.Embedding(vocab, 6), nn.Linear(6, 1)

    def forward(self, tokens):
        return self.score(self.embed(tokens).mean(1))


torch.manual_seed(0)
writer, judge = nn.Linear(4, 3 * 9), Judge(9)
opt_w = torch.optim.Adam(writer.parameters(), lr=1e-3)
for step in range(2):
    logits = writer(torch.randn(5, 4)).view(5, 3, 9)
    tokens = logits.argmax(-1)
    loss = F.softplus(-judge(tokens)).mean()
    opt_w.zero_grad()
    loss.backward()
    opt_w.step()
