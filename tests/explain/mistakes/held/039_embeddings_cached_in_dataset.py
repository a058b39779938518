import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, tokens, labels, embed):
        self.vectors = [embed(t).mean(0) for t in tokens]
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.vectors[i], self.labels[i]


torch.manual_seed(0)
embed, classifier = nn.Embedding(12, 4), nn.Linear(4, 2)
tokens = [torch.randint(0, 12, (n,)) for n in (3, 5, 2, 4)]
loader = DataLoader(Sentences(tokens, torch.tensor([0, 1, 1, 0]), embed), batch_size=2)
optimizer = torch.optim.Adam([*embed.parameters(), *classifier.parameters()], lr=0.01)
for epoch in range(2):
    for x, y in loader:
        loss = nn.functional.cross_entropy(classifier(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
