"""Options and state of optimizers as a trace sees them: rates that are numbers of the program, and the state
that a first step makes.
"""

from typing import Any

import numpy as np

from ....autograd.grad_mode import no_grad
from ....core.blame import own_file
from ....core.value import TensorBase, wrap
from .guards import Guard, dict_item
from .session import Session

Entries = dict[Any, dict[str, Any]]

#: Options of optimizers that are numbers of a program: the rates from the start, a momentum (or the first of
#: a pair of decay rates) or a decay of weights when it has changed. One of 0 is another program.
RATES, MOMENTA = frozenset({"lr"}), frozenset({"momentum", "betas", "weight_decay"})


class Dial(Guard):
    """A learning rate or a momentum: another one is another number for the same program, not another program.

    Attributes
    ----------
    cell : Tensor
        Stands for the number while the function is traced, and holds the present one for the program.
    stand_in : Tensor or tuple
        What the container holds during a traced step: the cell, or a pair of rates that begins with it.
    """

    __slots__ = ("cell", "stand_in")

    def __init__(self, container: Any, key: Any, value: Any) -> None:
        super().__init__(dict_item, container, key, value)
        if type(value) is tuple:
            self.cell = wrap(np.array(value[0]))
            self.stand_in: Any = (self.cell, *value[1:])
        else:
            self.stand_in = self.cell = wrap(np.array(value))

    def holds(self) -> bool:
        """Return whether there is a number still; it is what the cell holds from now on."""
        now = self.read(self.container, self.key)
        if type(now) is not type(self.value) or not turns(self.key, now):
            return False
        if type(now) is tuple:
            if now[1:] != self.value[1:]:
                return False
            now = now[0]
        self.cell._value[...] = now
        return True


def turns(key: object, value: object) -> bool:
    """Return whether an option is such that it may be a number of a program."""
    if key == "betas":
        return type(value) is tuple and len(value) > 0 and type(value[0]) is float and value[0] != 0
    return type(value) is float and (key == "lr" or value != 0)


class FirstState:
    """The state that was made in the traces of one call."""

    def __init__(self) -> None:
        #: Optimizers, each with its entries by parameter.
        self.made: list[tuple[Any, Entries]] = []
        self._unused: set[tuple[int, int]] = set()

    def make(self, session: Session, optimizer: Any) -> None:
        """Make the state that an optimizer lacks."""
        entries = {
            parameter: entry for parameter, entry in _entries(optimizer).items()
            if (id(optimizer), id(parameter)) not in self._unused
        }  # fmt: skip
        if entries:
            self.made.append((optimizer, entries))
            optimizer.state.update(entries)
            for entry in entries.values():
                session.not_made(entry)

    def take_back(self) -> None:
        """Leave the optimizers without it."""
        for optimizer, entries in self.made:
            for parameter in entries:
                optimizer.state.pop(parameter, None)
        self.made = []

    def find_unused(self, changed: set[int]) -> bool:
        """Note the entries that no step has changed, given the identities of the tensors that were."""
        unused = {
            (id(optimizer), id(parameter))
            for optimizer, entries in self.made for parameter, entry in entries.items()
            if not any(id(value) in changed for value in entry.values())
        }  # fmt: skip
        self._unused |= unused
        return bool(unused)


def _entries(optimizer: Any) -> Entries:
    """Return the state by parameter, as a step makes it; none if that is unknown, or not tensors alone."""
    from ....optim.optimizer import Optimizer

    kind = type(optimizer)
    if kind._step_of is not Optimizer._step_of or not is_ours(kind.init):
        return {}
    entries = {}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if not parameter.requires_grad or parameter in optimizer.state:
                continue
            try:
                with no_grad():
                    entry = optimizer.init_alike(parameter, group)
            except Exception:  # noqa: BLE001  # the step itself will say what is wrong
                return {}
            if not entry or not all(isinstance(value, TensorBase) for value in entry.values()):
                return {}
            entries[parameter] = entry
    return entries


def is_ours(function: Any) -> bool:
    """Return whether a function is one of this package's."""
    return own_file[function.__code__.co_filename]
