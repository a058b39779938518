import io
import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(5, 9), nn.ReLU(), nn.Linear(9, 2))


torch.manual_seed(0)
wrapped = nn.DataParallel(build())
opt = torch.optim.Adam(wrapped.parameters())
x, y = torch.randn(12, 5), torch.randint(0, 2, (12,))
loss = nn.functional.cross_entropy(wrapped(x), y)
loss.backward()
opt.step()
ckpt = {'model': wrapped.state_dict(), 'epoch': 1}
buf = io.BytesIO()
torch.save(ckpt, buf)
buf.seek(0)

model = build()
saved = torch.load(buf)
model.load_state_dict(saved['model'])
model.eval()
print(model(x).argmax(1))
