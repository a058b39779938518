"""Found on `sys.path` by the worker processes of a program that runs under `python -m pullback`.

A process that multiprocessing spawns starts from nothing but its parent's `sys.path`, where the runner has
put this folder. The first `import torch` in it executes this file, which puts pullback in its own place.
"""

from __future__ import annotations

from pullback.command.run import install

install()
