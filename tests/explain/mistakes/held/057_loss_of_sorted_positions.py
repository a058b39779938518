import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)

    def forward(self, documents):
        return self.score(documents).squeeze(-1)


def spearman_loss(scores, wanted):
    ranks = scores.argsort(dim=-1).argsort(dim=-1).float()
    centred = ranks - ranks.mean(-1, keepdim=True)
    target = wanted - wanted.mean(-1, keepdim=True)
    return -(centred * target).sum(-1).mean()


torch.manual_seed(0)
model = Ranker(4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
documents, wanted = torch.randn(3, 6, 4), torch.rand(3, 6).argsort(-1).float()
loss = spearman_loss(model(documents), wanted)
optimizer.zero_grad()
loss.backward()
