import pullback as torch
from pullback import nn

torch.manual_seed(3)
body, head = nn.Linear(6, 10), nn.Linear(10, 4)
batches = [(torch.randn(8, 6), torch.randint(0, 4, (8,))) for _ in range(3)]
losses = []
for _ in range(3):
    for x, y in batches:
        loss = nn.functional.cross_entropy(head(torch.relu(body(x))), y)
        loss.backward()  # <-- culprit
        losses.append(loss.item())
