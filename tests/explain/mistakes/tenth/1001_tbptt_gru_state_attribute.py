import torch
from torch import nn

torch.manual_seed(1)
rnn = nn.GRU(input_size=3, hidden_size=6)
readout = nn.Linear(6, 1)
opt = torch.optim.RMSprop([*rnn.parameters(), *readout.parameters()], lr=0.01)
signal = torch.sin(torch.linspace(0, 12, 61))[:, None, None].repeat(1, 2, 3)
h = torch.zeros(1, 2, 6)
for begin in range(0, 60, 20):
    window = signal[begin:begin + 20]
    target = signal[begin + 1:begin + 21, :, :1]
    out, h = rnn(window, h)
    loss = ((readout(out) - target) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
