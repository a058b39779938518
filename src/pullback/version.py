"""The version of pullback, in the fields of torch.version; no accelerator is built in."""

from __future__ import annotations

__version__ = "0.1.0"
git_version: str | None = None
debug = False
cuda: str | None = None
hip: str | None = None
