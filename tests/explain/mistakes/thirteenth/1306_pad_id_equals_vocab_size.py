import torch
from torch import nn

VOCAB = 20
PAD = VOCAB


class Bow(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 8)
        self.fc = nn.Linear(8, 2)

    def forward(self, ids):
        keep = (ids != PAD).unsqueeze(-1).float()
        e = self.emb(ids) * keep
        return self.fc(e.sum(1) / keep.sum(1))


def collate(seqs):
    width = max(len(s) for s in seqs)
    return torch.tensor([s + [PAD] * (width - len(s)) for s in seqs])


torch.manual_seed(0)
model = Bow()
opt = torch.optim.Adam(model.parameters())
batch = collate([[1, 2, 3], [4, 19], [7, 7, 7, 8]])
loss = nn.functional.cross_entropy(model(batch), torch.tensor([0, 1, 0]))
loss.backward()
opt.step()
