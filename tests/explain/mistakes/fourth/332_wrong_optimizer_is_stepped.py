import torch
from torch import nn

torch.manual_seed(0)
encoder, decoder = nn.Linear(8, 3), nn.Linear(3, 8)
opt_enc = torch.optim.Adam(encoder.parameters(), lr=1e-2)
opt_dec = torch.optim.Adam(decoder.parameters(), lr=1e-2)
before = decoder.weight.detach().clone()
for batch in torch.randn(5, 10, 8):
    loss = nn.functional.mse_loss(decoder(torch.tanh(encoder(batch))), batch)
    opt_enc.zero_grad()
    opt_dec.zero_grad()
    loss.backward()
    opt_enc.step()
    opt_enc.step()
print(loss.item())
