"""torch.utils.deterministic: the switch is kept; pullback fills no memory that a program has not set."""

from __future__ import annotations

fill_uninitialized_memory = True
