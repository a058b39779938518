import torch
from torch import nn


class SlotMemory(nn.Module):
    def __init__(self, slots, width):
        super().__init__()
        self.slots, self.width = slots, width
        self.write = nn.Linear(width, width)
        self.query = nn.Linear(width, width)

    def forward(self, sequence):
        memory = torch.zeros(self.slots, self.width)
        outputs = []
        for t, x in enumerate(sequence):
            scores = memory @ self.query(x)
            outputs.append(scores.softmax(0) @ memory)
            memory[t % self.slots] = torch.tanh(self.write(x))
        return torch.stack(outputs)


torch.manual_seed(0)
model = SlotMemory(3, 4)
out = model(torch.randn(6, 4))
loss = (out - torch.randn(6, 4)).abs().mean()
loss.backward()
print([p.grad.norm() for p in model.parameters()])
