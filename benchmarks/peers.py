"""The libraries that are compared, how each is recognised and how each is loaded."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks.case import Library

BASELINE = "torch"


@dataclass(frozen=True)
class Peer:
    """A column of the table: ``family`` names the programming interface, ``package`` the import."""

    name: str
    family: str
    package: str
    distribution: str
    #: Whether it compiles functions that another column runs eagerly.
    compiles: bool = False
    #: Whether its compiled functions tell what they move and compute (``timeline``).
    tells: bool = False

    def installed(self) -> bool:
        return importlib.util.find_spec(self.package) is not None

    def version(self) -> str:
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return "working tree"


PEERS = (
    Peer("pullback", "torch", "pullback", "pullback"),
    Peer("pullback.compile", "torch", "pullback", "pullback", compiles=True, tells=True),
    Peer("torch", "torch", "torch", "torch"),
    Peer("torch.compile", "torch", "torch", "torch", compiles=True),
    Peer("jax.jit", "jax", "jax", "jax"),
    Peer("autograd", "autograd", "autograd", "autograd"),
    Peer("mygrad", "mygrad", "mygrad", "mygrad"),
    Peer("tinygrad", "tinygrad", "tinygrad", "tinygrad"),
)
BY_NAME = {peer.name: peer for peer in PEERS}


def unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    """The `compile` of a peer that is measured in eager mode."""
    return function


def load(peer: Peer) -> Library:
    """Import a peer in this process, set up as its documentation recommends for speed on a CPU."""
    if peer.family == "tinygrad":
        # Its device is chosen at import; without this it would try every accelerator's driver first.
        os.environ.setdefault("DEV", "CPU")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(peer.package)
    if peer.name == "torch.compile":
        return Library(module, module.compile, compiled=True)
    if peer.name == "pullback.compile":
        return Library(module, partial(module.compile, backend="native"), compiled=True, whole=True)
    if peer.name == "mygrad":
        module.turn_memory_guarding_off()
    return Library(module, unchanged)
