import torch
from torch import nn


class VQ(nn.Module):
    def __init__(self, codes=8, d=2):
        super().__init__()
        self.enc = nn.Linear(5, d)
        self.book = nn.Embedding(codes, d)
        self.dec = nn.Linear(d, 5)

    def forward(self, x):
        z = self.enc(x)
        idx = torch.cdist(z.detach(), self.book.weight).argmin(1)
        q = self.book(idx)
        st = z + (q - z)
        book_loss = (q - z.detach()).pow(2).mean()
        return self.dec(st), book_loss


torch.manual_seed(0)
vq = VQ()
opt = torch.optim.SGD(vq.parameters(), lr=0.1)
x = torch.randint(-4, 5, (64, 5)).float()
for step in range(10):
    recon, book_loss = vq(x)
    loss = (recon - x).pow(2).mean() + book_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
