import torch
import torch.nn as nn


class VideoNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Conv2d(3, 8, 3, padding=1)
        self.rec = nn.Conv2d(8, 8, 3, padding=1)
        self.cls = nn.Linear(8, 4)
        self.h = torch.zeros(2, 8, 8, 8)

    def detach_hidden(self):
        self.h.detach_()

    def forward(self, frame):
        self.h = torch.tanh(self.inp(frame) + self.rec(self.h))
        return self.cls(self.h.mean(dim=(2, 3)))


torch.manual_seed(0)
net = VideoNet()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
running_classification_loss = 0.0
for sequence in range(2):
    net.detach_hidden()
    frames, labels = torch.rand(4, 2, 3, 8, 8), torch.randint(0, 4, (4, 2))
    for frame, label in zip(frames, labels):
        optimizer.zero_grad()
        confidence = net(frame)
        loss = nn.functional.cross_entropy(confidence, label)
        loss.backward(retain_graph=True)
        optimizer.step()
        running_classification_loss += loss.item()
