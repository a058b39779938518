import torch
from torch import nn


class Ocr(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(12, 24, 3, stride=4)
        self.fc = nn.Linear(24, 27)

    def forward(self, strip):
        h = torch.relu(self.conv(strip)).permute(2, 0, 1)
        return self.fc(h).log_softmax(-1)


torch.manual_seed(0)
net = Ocr()
ctc = nn.CTCLoss(blank=0)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
strips = torch.randn(3, 12, 32)
words = torch.randint(1, 27, (3, 10))
word_len = torch.full((3,), 10)
for step in range(2):
    logp = net(strips)
    frames = torch.full((3,), logp.size(0))
    loss = ctc(logp, words, frames, word_len)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
