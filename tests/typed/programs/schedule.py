"""Optimizers, schedules, clipping, checkpoints."""

import io
from typing import Any, assert_type

import torch
from torch import nn
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import CosineAnnealingLR, StepLR

model = nn.Linear(2, 2)
optimizer = AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
schedules: list[Any] = [StepLR(optimizer, step_size=2), CosineAnnealingLR(optimizer, T_max=10)]
model(torch.ones(1, 2)).sum().backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()
for schedule in schedules:
    schedule.step()
base: Optimizer = optimizer
rates: list[float] = [group["lr"] for group in optimizer.param_groups]
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
model.load_state_dict(torch.load(file, weights_only=True))
assert_type(torch.get_default_dtype(), torch.dtype)
assert_type(torch.is_grad_enabled(), bool)
