import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR

torch.manual_seed(19)
optimizer_scheduler = False
encoder = nn.GRU(4, 12, batch_first=True)
decoder = nn.Linear(12, 4)
params = list(encoder.parameters()) + list(decoder.parameters())
optimizer = torch.optim.Adam(params, lr=5e-3, amsgrad=True)
if optimizer_scheduler:
    scheduler = StepLR(optimizer, step_size=10, gamma=0.2, last_epoch=-1)
else:
    scheduler = StepLR(optimizer, step_size=10, gamma=0, last_epoch=-1)

phase = torch.rand(24, 1, 4) * 6.28
seq = torch.sin(torch.arange(15)[None, :, None] * 0.4 + phase)
train_losses = []
for epoch in range(25):
    out, _ = encoder(seq)
    loss = nn.functional.mse_loss(decoder(out[:, :-1]), seq[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    train_losses.append(loss.item())
    print("Epoch", epoch, "loss", train_losses[-1])
