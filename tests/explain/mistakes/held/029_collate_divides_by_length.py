import torch
from torch import nn
from torch.utils.data import DataLoader


def collate(samples):
    vectors, labels = [], []
    for counts, label in samples:
        counts = torch.tensor(counts, dtype=torch.float32)
        vectors.append(counts / counts.sum())
        labels.append(label)
    return torch.stack(vectors), torch.tensor(labels)


documents = [([2, 0, 1], 0), ([1, 1, 0], 1), ([0, 4, 1], 1), ([0, 0, 0], 0), ([3, 1, 1], 0), ([0, 1, 2], 1)]
torch.manual_seed(0)
classifier = nn.Linear(3, 2)
optimizer = torch.optim.SGD(classifier.parameters(), lr=0.1)
for batch, labels in DataLoader(documents, batch_size=2, collate_fn=collate):
    loss = nn.functional.cross_entropy(classifier(batch), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
