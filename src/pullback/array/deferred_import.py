"""Import modules of the package when something of theirs is first used, and many without the collector.

What a program may never need (factorizations, Fourier transforms, the backward pass) is read and run only
then: each such module takes 0.2 to 0.5 ms of an import.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from .locks import importing


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector of reference cycles still: what an import makes stays, and looking through it again
    and again took 12 of 75 ms.

    Afterwards it counts as old, like what the collector has looked through: to look through it once, at the
    next allocation, took 16 of 114 ms. What a program has frozen stays frozen; there it is looked through.
    """
    collects = gc.isenabled()
    try:  # an interrupt may come as soon as the collector is off
        gc.disable()
        yield
    finally:
        if collects:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()  # into the oldest generation
            gc.enable()


class _Deferred(ModuleType):
    """Stand for a module. Its functions, classes and tables are copied here when the first name is looked up,
    so that later looks cost what they cost of the module; all else, which it may rebind, is asked of it.
    """

    def __getattr__(self, name: str) -> Any:
        if (module := self.__dict__.get("_module")) is None:
            with importing:
                module = import_module(self.__name__)
            self.__dict__.update({
                key: value for key, value in vars(module).items()
                if callable(value) or isinstance(value, (dict, frozenset))
            })
            self.__dict__["_module"] = module
        return getattr(module, name)


def import_later(name: str, package: str) -> Any:
    """Return what stands for a module until its first use, named as for `importlib.import_module`."""
    own = name.lstrip(".")
    return _Deferred(f"{package.rsplit('.', len(name) - len(own) - 1)[0]}.{own}")
