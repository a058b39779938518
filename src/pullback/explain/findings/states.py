"""Look at state dicts: keys that fit nothing, and kept weights that are the weights themselves."""

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from ...core.blame import Place, own_file
from ...core.value import TensorBase, innermost
from ...nn.parameter import Parameter
from ..answer import Answer
from ..carried import assigning_attribute
from ..scene import parts_of, paths_in, place_in
from .collected import Findings
from .layers import assigned


class States:
    """Remember where state dicts were taken, and how many steps there were by then."""

    def __init__(self) -> None:
        self.taken: dict[int, tuple[Any, Place | None, int]] = {}
        self.loaded = False

    def took(self, state: Any, place: Place | None, steps: int) -> None:
        """Note a state dict."""
        for tensor in list(state.values())[:1] if isinstance(state, Mapping) else ():
            if isinstance(tensor, TensorBase):
                self.taken[id(tensor)] = tensor, place, steps

    def loads(self, module: Any, state: Any, place: Place | None, steps: int, findings: Findings) -> None:
        """Look at a state dict that is about to be loaded."""
        self.loaded = True
        if not isinstance(state, Mapping) or not state:
            return
        own = {**dict(module.named_parameters()), **dict(module.named_buffers())}
        self._same(own, state, place, steps, findings)
        fits = [key for key in state if key in own]
        if fits or not own:
            return
        prefix = fitting_prefix(own, state)
        findings.add("another model", Answer(
            "nothing loaded", f"None of the {len(state)} keys of the state dict is one of the model's "
            f"{len(own)}: with `strict=False` nothing is loaded, and the model stays as it was.", place,
            (f"a key is `{next(iter(state))}`, and the model has `{next(iter(own))}`",),
            mend_of(prefix), "" if not prefix else
            f"{described(prefix)}, {fitted(own, state, prefix)} of {len(state)} keys match",
        ))  # fmt: skip

    def report(self, steps: int, findings: Findings) -> None:
        """Say where a state dict is kept in a loop and changes with the weights."""
        for _, place, before in list(self.taken.values()):
            name = None if place is None or before >= steps else kept_state(place.file, place.line)
            if name is not None and not self.loaded:
                findings.tell("state dict not copied: kept", place, name=name, since=steps - before)
                return

    def _same(
        self, own: dict[str, Any], state: Mapping[str, Any], place: Place | None, steps: int,
        findings: Findings,
    ) -> None:  # fmt: skip
        kept = [(own[k], v) for k, v in state.items() if k in own and isinstance(v, TensorBase)]
        if not kept or not all(innermost(a) is innermost(b) for a, b in kept):
            return
        _, taken, before = self.taken.get(id(kept[0][1]), (None, None, steps))
        if before == steps and taken is not None:
            findings.tell(
                "the same module", alias(place) or place, at="" if place is None else f" at line {place.line}"
            )
        if before < steps:
            findings.tell(
                "state dict not copied: loaded", taken or place, since=steps - before, place=place,
                count=len(kept)
            )


def kept_state(file: str, line: int) -> str | None:
    """Return the name that a line in a loop gives a bare ``x.state_dict()`` which nothing saves, or None."""
    for loop in parts_of(file, ast.For, ast.While):
        for node in ast.walk(loop):
            value = getattr(node, "value", None)
            if isinstance(node, ast.Assign) and node.lineno == line and isinstance(value, ast.Call):
                name = ast.unparse(node.targets[0])
                taken = isinstance(value.func, ast.Attribute) and value.func.attr == "state_dict"
                calls = [n for n in ast.walk(loop) if isinstance(n, ast.Call)]
                saved = any(ast.unparse(n.func).endswith("save") and name in ast.unparse(n) for n in calls)
                return name if taken and not saved else None
    return None


def alias(place: Place | None) -> Place | None:
    """Return the line that gives a module another name, of which a line loads a state dict."""
    if place is None:
        return None
    owners = [
        ast.unparse(call.func.value) for call in parts_of(place.file, ast.Call)
        if getattr(call.func, "attr", "") == "load_state_dict" and call.lineno == place.line
    ]  # fmt: skip
    for node in parts_of(place.file, ast.Assign):
        named = isinstance(node.value, (ast.Name, ast.Attribute))
        if named and any(ast.unparse(target) in owners for target in node.targets):
            return place_in(place.file, node.lineno)
    return None


def look_at_left_out(module: Any, findings: Findings) -> None:
    """Say where a module keeps what it learns in a plain tensor, which no state dict holds."""
    for member in module.modules():
        if own_file[type(member).forward.__code__.co_filename]:
            continue
        for name, value in list(vars(member).items()):
            if not isinstance(value, TensorBase) or isinstance(value, Parameter):
                continue
            made, statement = assigned(member, name), assigning_attribute(member, name)
            if made is None or made.function != "__init__" or statement is None:
                continue
            mixes = isinstance(statement.value, ast.BinOp) and any(
                path.endswith(f".{name}") for path in paths_in(statement.value)
            )  # a sum or an average; what a layer gives on is a state, which need not be saved
            if not mixes and not isinstance(statement.node, ast.AugAssign):
                continue
            findings.tell(
                "not in the state dict", made, name=name, member=type(member).__name__, statement=statement
            )


def fitting_prefix(own: Iterable[str], given: Iterable[str]) -> str:
    """Return the beginning by which all keys differ; "" for none.

    It is ``-module.`` where the given keys have it, ``+net.`` where they lack it.
    """
    names, keys = set(own), list(given)
    for key in keys[:1]:
        for name in names:
            for sign, long, short in (("-", key, name), ("+", name, key)):
                if long.endswith("." + short):
                    prefix = sign + long[: len(long) - len(short)]
                    if fitted(names, keys, prefix) == len(keys):
                        return prefix
    return ""


def fitted(own: Iterable[str], given: Iterable[str], prefix: str) -> int:
    """Return how many keys match once a beginning is taken away or put before."""
    names = set(own)
    if prefix.startswith("-"):
        return sum(key.startswith(prefix[1:]) and key[len(prefix) - 1 :] in names for key in given)
    return sum(prefix[1:] + key in names for key in given)


def described(prefix: str) -> str:
    """Say what a prefix of `fitting_prefix` is."""
    return f"without the prefix `{prefix[1:]}`" if prefix[0] == "-" else f"with the prefix `{prefix[1:]}`"


def mend_of(prefix: str) -> str:
    """Return how to make keys match."""
    if prefix.startswith("-"):
        return f"take the prefix away: `{{k.removeprefix('{prefix[1:]}'): v for k, v in state.items()}}`"
    if prefix:
        return f"load it into `{prefix[1:-1]}`, or put the prefix before: `'{prefix[1:]}' + k`"
    return "compare the keys, and load with `strict=True`, which says which ones are missing"
