"""Let processes find functorch beside `torch.py`, as torch installs it."""

import sys
from importlib import import_module

import_module("torch")  # which takes its own place, and lets this be found anew
sys.modules.pop(__name__, None)
import_module(__name__)
