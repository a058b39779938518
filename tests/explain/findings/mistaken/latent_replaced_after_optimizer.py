"""The latent that an optimizer holds is replaced by a new leaf of its values."""

import pullback as torch

torch.manual_seed(0)
decoder = torch.nn.Linear(4, 8).requires_grad_(False)
latent = torch.randn(1, 4, requires_grad=True)
optimizer = torch.optim.Adam([latent], lr=0.1)
target = torch.ones(1, 8)
latent = latent.detach().clamp(-1, 1).requires_grad_()  # <-- culprit
for _ in range(5):
    optimizer.zero_grad()
    loss = ((decoder(latent) - target) ** 2).mean()
    loss.backward()
    optimizer.step()
