import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, size, depth):
        super().__init__()
        self.cells = nn.ModuleList(nn.GRUCell(size, size) for _ in range(depth))
        self.states = {}

    def forward(self, frame):
        for k, cell in enumerate(self.cells):
            frame = self.states[k] = cell(frame, self.states.get(k))
        return frame


def run(stack, head, frames, labels):
    optimizer = torch.optim.Adam(list(stack.parameters()) + list(head.parameters()))
    for frame, label in zip(frames, labels):
        loss = nn.functional.cross_entropy(head(stack(frame)), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
run(Stack(6, 2), nn.Linear(6, 3), torch.randn(5, 2, 6), torch.randint(0, 3, (5, 2)))
