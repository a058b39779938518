"""Keep what the traces of one function have found out, for the traces after them."""

from collections.abc import Iterable
from typing import Any

from .arguments import come_anew
from .guards import Guard, cell_contents, deque_item, dict_item, list_item, list_length, slot_of

#: Sizes of one selection that are compiled before it is found to vary.
SIZES = 3
#: Calls that may keep an object which no program can make, as an optimizer, before that counts as a habit.
FIRSTS = 2


class Knowledge:
    """Keep what earlier traces of a function have found out."""

    def __init__(self) -> None:
        #: Places that each call leaves another tensor or container in, by what has them and the key.
        self.places: dict[Any, Guard] = {}
        #: Such places whose container is told by its identity all the same (see `Exchanged`).
        self.whole: set[Any] = set()
        #: Places with a number that each call changes, or finds changed.
        self.counters: dict[Any, Guard] = {}
        #: Such places whose number decides what the function does, so that it is guarded all the same.
        self.fixed: dict[Any, Guard] = {}
        #: Whether traces have stand-ins for gradients that are absent.
        self.phantoms = True
        #: Whether numbers of tensors may decide what the function does.
        self.speculates = True
        #: Whether the last trace had options of optimizers that are numbers of the program.
        self.dials = False
        #: Arguments, by their places among the leaves, whose numbers decide what the function does.
        self.decisive: set[int] = set()
        #: What was found where a trace had asked for so many numbers: sizes of selections, and elements.
        self._found: dict[int, set[Any]] = {}
        #: Whether a copy may stand for the view that a number of the call's selects.
        self.picks = True
        #: Functions of this package that cannot be run as rewritten code, and the one that is.
        self.opaque: set[Any] = set()
        #: Classes whose objects among the arguments are told by what they hold, as other ones came.
        self.records: frozenset[type] = frozenset()
        self._by_identity = False
        #: Locks that a trace came upon.
        self.locks: set[Any] = set()
        self._firsts = 0
        self.composing: Any = None

    def recurs(self, asked: int, found: object) -> bool:
        """Note what a trace finds that has asked for so many numbers; whether it is not always another."""
        known = self._found.setdefault(asked, set())
        known.add(found)
        return len(known) <= SIZES

    def is_first(self) -> bool:
        """Note that a call keeps what no program can make; return whether later calls may find it there."""
        self._firsts += 1
        return self._firsts <= FIRSTS

    def comes_anew(self, exchanged: Iterable[tuple[Any, Any]]) -> bool:
        """Note objects that a call gives in the place of others; whether such are told otherwise now."""
        found = self.records if self._by_identity else come_anew(exchanged, self.records)
        if found == self.records:
            return False
        self.records = found
        # Places among the leaves are others from here on.
        self.decisive.clear()
        return True

    def tell_by_identity(self) -> bool:
        """Tell objects by their identity again, as the code asks for it; whether they were told otherwise."""
        told, self.records, self._by_identity = bool(self.records), frozenset(), True
        if told:
            self.decisive.clear()
        return told

    def settle(self, varying: Iterable[int]) -> bool:
        """Let all numbers be parts of the program, as code needs one at once; whether there were others."""
        if self.composing is not None:
            self.opaque.add(self.composing)
            self.composing = None
            return True
        news = bool(self.counters) or not self.decisive.issuperset(varying)
        self.fixed |= self.counters
        self.counters.clear()
        self.decisive.update(varying)
        return news

    def changed(self, guards: Iterable[Guard]) -> None:
        """Note the places whose number is another one than at an earlier trace: it will change again."""
        for guard in guards:
            name = place_of(guard)
            # Others, as a number of arguments, are told by what a call gives.
            if name is None or type(guard.value) not in (int, float) or guard.holds():
                continue
            now = guard.read(guard.container, guard.key)
            if name not in self.fixed and type(now) is type(guard.value):
                self.counters.setdefault(name, Guard(guard.read, guard.container, guard.key, now, guard.word))


def place_of(guard: Guard) -> Any:
    """Return the name by which a trace knows a guard's place; None where that holds no number."""
    if guard.read in (dict_item, list_item, deque_item):
        return (id(guard.container), "item", guard.key)
    if guard.read is cell_contents:
        return (id(guard.container), "cell")
    if guard.read is list_length:
        return (id(guard.container), "length")
    return (id(guard.container), "slot", guard.key) if guard.read is slot_of else None
