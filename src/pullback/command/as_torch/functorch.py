"""Found where `torch.py` is: functorch, which torch installs beside itself."""

from __future__ import annotations

from importlib import import_module

from pullback.command.run import install

install()
import_module("functorch")  # pullback's, which takes the place of this file
