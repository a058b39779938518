"""Judge other errors: None where a gradient was meant, a result where a leaf was, a custom function that
returns too few gradients, a layer that gives a tuple, sparse gradients, sizes that depend on the data.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..core.blame import Place
from ..core.node import LEAF
from ..core.value import TensorBase, shape_of
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from .answer import Answer
from .failure import Raised, plain
from .missing import why_none_in
from .roots import last_backward
from .scene import Scene, called_name, code_of, parts_of, paths_in, place_in, returning, scope_of
from .source import place_of


def covector(error: BaseException, raised: Raised) -> Answer:
    """Judge a backward on more than one number."""
    name = next(iter(raised.names_at()), "")
    call = None if raised.scene is None else last_backward(raised.scene)
    if call is not None and isinstance(call.func, ast.Attribute) and name in paths_in(call.func.value):
        name = ast.unparse(call.func.value)  # of `(w * 2).backward()` not w
    value = None if raised.scene is None or not name else raised.scene.value(name)
    made = place_of(value) if isinstance(value, TensorBase) else None
    if made is not None and raised.place is not None and made.function == raised.place.function:
        made = None  # what is missing may stand at the call as well
    shape = f" of shape {tuple(shape_of(value))}" if isinstance(value, TensorBase) else ""
    return Answer.of(
        "needs a covector", made or raised.place,
        () if raised.place is None else (f"backward was called at {raised.place}",),
        output=name or "an output", shape=shape
    )


def no_gradient(error: BaseException, raised: Raised) -> Answer:
    """Judge an error of Python's about None where the line reads a `.grad`."""
    if "NoneType" not in str(error):
        return plain(error, raised)
    # A comprehension has a frame of its own before CPython 3.12.
    for scene in raised.scenes[:2]:
        for owner in _read_gradients(scene):
            x = _tensor(owner, scene)
            if x is None or x._grad is not None:
                continue
            answer = why_none_in(scene, x, owner)
            module = scene.names.owners.get(id(x), owner)
            whose = () if owner.startswith(module) else (f"`{owner}` is here a parameter of `{module}`",)
            return replace(
                answer, cause=f"`{owner}.grad` is None: {answer.cause}", place=answer.place or raised.place,
                evidence=(f"read at {raised.place}", *whose, *answer.evidence),
            )
    return plain(error, raised)


def _read_gradients(scene: Scene) -> Iterator[str]:
    """Yield what the line of a scene reads the `.grad` of."""
    for node in ast.walk(scene.scope.tree):
        if isinstance(node, ast.Attribute) and node.attr == "grad" and scene.is_at(node):
            yield ast.unparse(node.value)


def _tensor(path: str, scene: Scene) -> Any:
    """Return the tensor of a path: a variable, or one of what a loop or comprehension goes over."""
    value = scene.value(path)
    if isinstance(value, TensorBase):
        return value
    for node in ast.walk(scene.scope.tree):
        if isinstance(node, (ast.comprehension, ast.For)) and path in ast.unparse(node.target):
            for name in paths_in(node.iter):
                held = scene.value(name)
                members = held if isinstance(held, (list, tuple)) else ()
                for member in members:
                    if isinstance(member, TensorBase) and member._grad is None:
                        return member
    return None


def not_a_leaf(error: BaseException, raised: Raised) -> Answer:
    """Judge an optimizer that is given the result of an op."""
    for scene in raised.scenes:
        for call in scene.calls_here():
            for name in dict.fromkeys(paths_in(call)):
                value = scene.value(name)
                values = value if isinstance(value, (list, tuple)) else (value,)
                for x in values:
                    if isinstance(x, TensorBase) and x._node is not None and x._node is not LEAF:
                        return Answer.of(
                            "not a leaf: has no gradient", place_of(x) or raised.place, name=name,
                            raised=raised
                        )
    return plain(error, raised)


def gradient_count(error: BaseException, raised: Raised) -> Answer:
    """Judge a custom function whose backward returns too few or too many gradients."""
    found = re.search(r"function (\w+)Backward returned .* \(expected (\d+), got (\d+)\)", str(error))
    if found is None:
        return plain(error, raised)
    name, expected, got = found.groups()
    return Answer.of("number of gradients", _returning(name, raised), name=name, got=got, expected=expected)


def gradient_kind(error: BaseException, raised: Raised) -> Answer:
    """Judge a custom function whose backward returns what is no tensor."""
    own = getattr(raised.node, "_forward_cls", None)
    got = str(error).partition("got ")[2].rstrip(")")
    mend = "return tensors" if "numpy" not in got else "make a tensor of it: `torch.from_numpy(…)`"
    place = returning(code_of(getattr(own, "backward", None))) or raised.place
    return Answer.of("kind of a gradient", place, got=got, mend=mend)


def underivable(error: BaseException, raised: Raised) -> Answer:
    """Judge a backward that comes to an op without a derivative."""
    name = str(error).partition("::")[2].split()[0]
    place = (None if raised.node is None else place_of(raised.node)) or raised.place
    if name == "floor_divide":
        return Answer.of("no derivative of an op: floor division", place)
    return Answer.of("no derivative of an op: other", place, name=name)


def view_of_function(error: BaseException, raised: Raised) -> Answer:
    """Judge a write to a result of a custom function that is a view, or its input as it was given.

    Among several results torch tells it as it tells a write to one of `unbind`.
    """
    name = str(error).partition(" of ")[2].split()[0]
    place = _returning(name, raised, "forward")
    if place is raised.place and "multiple views" in str(error):
        return Answer.of("write to a view", raised.innermost, getattr(error, "__notes__", ()))
    return Answer.of("write to a view: of a function", place, name=name, raised=raised)


def no_parameters(error: BaseException, raised: Raised) -> Answer:
    """Judge an optimizer that gets no parameters: all may be frozen, or none registered."""
    frozen = raised.freezing()
    for scene in raised.scenes if frozen is not None else ():
        for path in (path for node in scene.statements_here() for path in paths_in(node)):
            module = scene.value(path)
            given = list(module.parameters()) if isinstance(module, Module) else []
            if given and not any(p.requires_grad for p in given):
                return Answer.of("no parameters: all frozen", frozen, module=path)
    return Answer.of("no parameters", raised.place)


def hook_shape(error: BaseException, raised: Raised) -> Answer:
    """Judge a hook that returns a gradient of another shape."""
    hook = str(error).split("'")[1]
    calls = [
        place_in(scene.frame.f_code.co_filename, call.lineno)
        for scene in raised.scenes for call in parts_of(scene.frame.f_code.co_filename, ast.Call)
        if called_name(call).startswith("register_") and call.args
        and hook == ("<lambda>" if isinstance(call.args[0], ast.Lambda) else called_name(call.args[0]))
    ]  # fmt: skip
    place = calls[0] if len(set(calls)) == 1 else raised.place
    return Answer.of("hook of another shape", place, hook=hook)


#: What torch says of a gradient of another shape: function, input, shape, the shape of the input.
INVALID = r"unction (\w+)Backward returned an invalid gradient at index (\d+) - got (.*) but ex.*?(\[.*)"


def gradient_shape(error: BaseException, raised: Raised) -> Answer:
    """Judge a custom function whose backward returns a gradient of another shape than its input has."""
    found = re.search(INVALID, str(error))
    if found is None:
        return plain(error, raised)
    name, index, got, expected = found.groups()
    turned = got.strip("[]").split(", ") == expected.strip("[]").split(", ")[::-1]
    mend = "transpose it: `.t()`" if turned else "sum over the axes that were broadcast, or reshape it"
    return Answer.of(
        "shape of a gradient", _returning(name, raised), name=name, got=got, index=index, expected=expected,
        mend=mend
    )


def _returning(name: str, raised: Raised, method: str = "backward") -> Place | None:
    """Return the line of a custom function's method that returns."""
    for scene in raised.scenes:
        place = returning(getattr(getattr(scene.variables.get(name), method, None), "__code__", None))
        if place is not None:
            return place
    return raised.place


#: Calls whose result has a size that depends on the numbers, and what gives it a fixed one.
BY_THE_DATA = {
    "bincount": ("one count for each number up to the largest that is there (shorter where the last class is "
                 "absent from a batch)|minlength"),
    "one_hot": ("as many columns as the largest label that is there needs (fewer where the last class is "
                "absent from a batch)|num_classes"),
}  # fmt: skip


def sparse_gradients(error: BaseException, raised: Raised) -> Answer:
    """Judge an optimizer that gets sparse gradients."""
    scene = raised.scenes[0] if raised.scenes else None
    made = None
    for name, value in () if scene is None else list(scene.variables.items()):
        if isinstance(value, Optimizer) and scene is not None:
            called = any(name in ast.unparse(c.func) for c, _ in scene.scope.calls if c.lineno == scene.line)
            made = (scene.made(name) if called else None) or made
    return Answer.of(
        "sparse gradients", made or raised.innermost,
        () if made is None else (f"the step is at {raised.innermost}",)
    )


def tuple_taken(error: BaseException, raised: Raised) -> Answer | None:
    """Judge an error about a tuple that a layer of a `Sequential` gave to the next one; None for another."""
    if "tuple" not in str(error):
        return None
    giving = _giving_a_tuple(error)
    if giving is None:
        return None
    kind = type(giving).__name__
    return Answer.of(
        "a tuple in place of a tensor", _only_call(kind, raised) or raised.innermost, kind=kind, raised=raised
    )


def _giving_a_tuple(error: BaseException) -> Any:
    """Return the layer of a container whose tuple went into the layer that failed."""
    traceback, found = error.__traceback__, None
    while traceback is not None:
        variables = traceback.tb_frame.f_locals
        container, module = variables.get("self"), variables.get("module")
        if isinstance(container, Module) and isinstance(variables.get("input"), tuple):
            members = list(container._modules.values())
            at = next((k for k, member in enumerate(members) if member is module), 0)
            if at > 0:
                found = members[at - 1]
        traceback = traceback.tb_next
    return found


def _only_call(name: str, raised: Raised) -> Place | None:
    """Return the line of the program that calls what has a name, where there is one alone."""
    for scene in raised.scenes:
        file = scene.frame.f_code.co_filename
        calls = (call for call in parts_of(file, ast.Call) if called_name(call) == name)
        lines = {call.lineno for call in calls}
        if len(lines) == 1 and scene.scope:
            return scene.scope.place_of_line(*lines)
    return None


def size_by_the_data(raised: Raised) -> Answer | None:
    """Judge sizes that do not fit where one of them depends on the data; None where none does."""
    for scene in raised.scenes[:2]:
        for call, place in _calls(scene):
            name = called_name(call)
            why, _, argument = BY_THE_DATA.get(name, "").partition("|")
            fixed = any(k.arg == argument for k in call.keywords)
            if why and not fixed and not (name == "one_hot" and len(call.args) > 1):
                return Answer.of(
                    "size depends on the data", place, name=name, why=why, raised=raised, argument=argument
                )
    return None


def _calls(scene: Scene) -> Iterator[tuple[ast.Call, Place]]:
    """Yield the calls on the line of a scene, behind its names, and within functions that these call."""
    scope = scene.scope
    here = scene.calls_here()
    waiting: list[ast.AST] = [*scene.statements_here()]
    seen: set[str] = set()
    while waiting:
        node = waiting.pop(0)
        here += [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - seen
        seen |= names
        waiting += [s.value for name in sorted(names) for s in scope.assigning(name, scene.line)]
    for call in here:
        yield call, scope.place(call)
        code = code_of(scene.value(ast.unparse(call.func)))
        inner = scope_of(code)
        for within, _ in inner.calls:
            yield within, inner.place(within)
