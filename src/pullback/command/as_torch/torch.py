"""Let `import torch` give pullback in the processes that a program under `python -m pullback` starts.

A process that multiprocessing spawns starts from nothing but its parent's `sys.path`, where the runner has
put this folder; any other Python has it from the variable PYTHONPATH. The first `import torch` executes this
file, which puts pullback in its own place, or, in a Python of another environment, what that has.
"""

import os
import sys
from importlib import import_module

if os.environ.get("PULLBACK_AS_TORCH", "1") in ("0", "1", sys.prefix):
    from pullback.command.run import install

    install()
else:
    folder = os.path.dirname(__file__)
    sys.path[:] = [path for path in sys.path if path != folder]
    del sys.modules[__name__]
import_module(__name__)
