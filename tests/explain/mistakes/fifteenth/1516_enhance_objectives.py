import torch
import torch.nn as nn
from torch.autograd import Variable

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(40, 64), nn.LeakyReLU(), nn.Linear(64, 40), nn.Softplus())
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def compute_objectives(predict, clean, lens):
    per_wav = [nn.functional.mse_loss(predict[i, :n], clean[i, :n]) for i, n in enumerate(lens)]
    loss = torch.tensor(per_wav).mean()
    return Variable(loss, requires_grad=True)


for step in range(5):
    noisy = torch.rand(4, 20, 40)
    clean = noisy * 0.5
    lens = [20, 15, 12, 8]
    predict = model(noisy)
    loss = compute_objectives(predict, clean, lens)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
