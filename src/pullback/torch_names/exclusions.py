"""List public names of torch that are not part of pullback, each with the reason.

`exclusions.txt` is the one list behind the errors of missing names and docs/exclusions.md; a test holds it
against the names that torch has. A name that pullback gets leaves the list.
"""

import sys
from collections.abc import Iterable
from functools import cache
from os.path import splitext
from typing import Any, NoReturn

from . import module_of, public_name

#: What is in the list in place of a module's or class's name, before modules that are not there at all.
WHOLE = "modules"
#: The file of the functions that import modules.
_IMPORTER = "<frozen importlib._bootstrap>"


@cache
def absent() -> dict[str, dict[str, list[str]]]:
    """Return the list: reason → module or class (or `WHOLE`) → names."""
    table: dict[str, dict[str, list[str]]] = {}
    with open(f"{splitext(__file__)[0]}.txt", encoding="utf-8") as lines:
        for line in map(str.strip, lines):
            if line.startswith("["):
                places = table[line.strip("[]")] = {}
            elif line and not line.startswith("#"):
                place, _, names = line.partition(": ")
                places[place] = names.split()
    return table


def excluded(place: str) -> list[str]:
    """Return the names of a place that are not part of pullback."""
    return [name for places in absent().values() for name in places.get(place, ())]


def reason(place: str, name: str) -> str | None:
    """Return why a public name of torch is not part of pullback; None where the list does not have it.

    A place is ``"torch"``, ``"torch.Tensor"``, ``"torch.nn.functional"`` and so on.
    """
    return next((why for why, places in absent().items() if name in places.get(place, ())), None)


def module_reason(name: str) -> str | None:
    """Return why a module of torch is not part of pullback; None where the list does not have it."""
    inner = name.removeprefix("torch.")
    for why, places in absent().items():
        if any(inner == module or inner.startswith(f"{module}.") for module in places.get(WHOLE, ())):
            return why
    return None


def no_attribute(
    text: str, place: str, name: str, known: Iterable[str], obj: object = None
) -> AttributeError:
    """Build the error for a name that a module or class lacks: torch's text, and a note that helps.

    `text` is what is before "has no attribute", as Python and torch say it. The note gives the nearest of the
    names that are `known`; Python makes a suggestion of its own from `obj`, which was asked.
    """
    error = AttributeError(f"{text} has no attribute '{name}'", name=name, obj=obj)
    why = reason(place, name)
    near = None if why or name.startswith("_") else nearest(name, known)
    absent = f"{place}.{name} is not part of pullback" + (f" ({why})" if why else "")
    error.add_note(f"Did you mean: '{near}'?" if near else absent)
    return error


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the name that a misspelt one is nearest to, whatever its case, if one is near."""
    from difflib import get_close_matches

    alike = [other for other in known if abs(len(other) - len(name)) <= 2 and not other.startswith("_")]
    closeness = 0.6 if len(name) < 5 else 0.75
    found = get_close_matches(name.lower(), {other.lower() for other in alike}, 1, closeness)
    same = [other for other in sorted(alike) if other.lower() in found]
    return max(same, key=lambda other: sum(a == b for a, b in zip(other, name, strict=False)), default=None)


def answer_for(module: dict[str, Any], *later: str, **names: str) -> None:
    """Have a module, given by its variables, raise torch's error for a name that it lacks.

    A call does what a `__getattr__` written there would do, behind which type checkers see no misspelt name.
    The modules `later` of a package are loaded when they are first asked for, and so is the module of each
    of the `names`.
    """
    place = public_name(module["__name__"]).replace("pullback", "torch", 1)

    def absent(name: str) -> Any:
        if name in later:
            return module_of(module["__name__"], name)
        if name in names:
            module[name] = found = getattr(module_of(module["__name__"], names[name]), name)
            return found
        if sys._getframe(1).f_code.co_filename == _IMPORTER:
            # Before ``from package import module`` loads a module it asks, and shows nobody the error.
            raise AttributeError(name)
        raise no_attribute(f"module '{place}'", place, name, (*module, *later, *names))

    module["__getattr__"] = absent
    if later:
        module["__dir__"] = lambda: sorted({*module, *later, *names})


class Missing:
    """Stand on a class for a name that it does not have, so that the error can say why."""

    def __init__(self, place: str, name: str) -> None:
        self.place = place
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        kind = owner.__name__
        text = f"type object '{kind}'" if instance is None else f"'{kind}' object"
        raise no_attribute(text, self.place, self.name, (), instance)
