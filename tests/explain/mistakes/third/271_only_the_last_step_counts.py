import torch
from torch import nn


def sequence_loss(outputs, targets):
    for output, target in zip(outputs, targets):
        loss = nn.functional.cross_entropy(output, target)
    return loss


torch.manual_seed(0)
cell, head = nn.LSTMCell(4, 8), nn.Linear(8, 3)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
for step in range(3):
    frames, targets = torch.randn(5, 6, 4), torch.randint(0, 3, (5, 6))
    state, outputs = None, []
    for frame in frames:
        state = cell(frame, state)
        outputs.append(head(state[0]))
    loss = sequence_loss(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
