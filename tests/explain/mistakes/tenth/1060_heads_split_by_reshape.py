import torch
from torch import nn

torch.manual_seed(0)
B, T, H, E = 2, 6, 2, 8
to_q, to_k, to_v, out = (nn.Linear(E, E) for _ in range(4))


def split(x):
    return x.reshape(B, H, T, E // H)


def attend(x):
    q, k, v = split(to_q(x)), split(to_k(x)), split(to_v(x))
    a = (q @ k.mT / 2).softmax(-1)
    return out((a @ v).transpose(1, 2).reshape(B, T, E))


params = [p for m in (to_q, to_k, to_v, out) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
seq = torch.randn(B, T, E)
loss = nn.functional.mse_loss(attend(seq), seq.cumsum(1))
loss.backward()
opt.step()
