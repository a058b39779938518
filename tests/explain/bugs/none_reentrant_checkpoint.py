"""A reentrant checkpoint takes data, none of which requires grad, and records nothing."""

import pullback as torch
from pullback import explain
from pullback.utils.checkpoint import checkpoint

torch.manual_seed(0)
encoder, head = torch.nn.Linear(3, 3), torch.nn.Linear(3, 1)
h = checkpoint(encoder, torch.randn(4, 3), use_reentrant=True)  # <-- culprit
loss = head(h).square().mean()
loss.backward()
answer = explain.why_none(encoder.weight)
