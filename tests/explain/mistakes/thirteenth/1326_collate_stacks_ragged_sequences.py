import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Words(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(0)
        self.data = [torch.randint(1, 50, (n,), generator=g) for n in (5, 7, 3, 9, 4, 6)]

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i], i % 2


def collate(batch):
    seqs, labels = zip(*batch)
    return torch.stack(seqs), torch.tensor(labels)


torch.manual_seed(0)
bag = nn.EmbeddingBag(50, 2, padding_idx=0)
opt = torch.optim.SGD(bag.parameters(), lr=0.1)
for seqs, labels in DataLoader(Words(), batch_size=3, collate_fn=collate):
    loss = nn.functional.cross_entropy(bag(seqs), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
