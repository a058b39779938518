import torch
import torch.nn as nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(6, 2), nn.Linear(2, 6)
enc_opt = torch.optim.SGD(encoder.parameters(), lr=1e-3)
dec_opt = torch.optim.SGD(decoder.parameters(), lr=1e-3)


def step(x):
    dec_opt.zero_grad()
    loss = nn.functional.mse_loss(decoder(encoder(x)), x)
    loss.backward()
    enc_opt.step()
    dec_opt.step()
    return loss.item()


x = torch.randn(12, 6)
step(x)
first = encoder.weight.grad.norm()
for _ in range(9):
    print(step(x), encoder.weight.grad.norm().item())
