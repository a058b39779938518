"""Look at how the program is written: methods that are named and not called, names that are given anew."""

import ast
import linecache
import re
from collections.abc import Iterable
from typing import Any

from ...core.blame import Place
from ..scene import parts_of, place_in
from ..source import At


def rebinding(sources: dict[int, list[tuple[At | None, int]]]) -> Place | None:
    """Return a line such as ``p = p - lr * p.grad`` in the files that call backward."""
    for file in (at[0].co_filename for several in sources.values() for at, _ in several if at is not None):
        for node in parts_of(file, ast.Assign):
            text = ast.unparse(node.value) if isinstance(node.value, ast.BinOp) else ""
            if ".grad" in text and ast.unparse(node.targets[0]) in text:
                return place_in(file, node.lineno)
    return None


#: Signs of a number, as they are written.
SIGNS: dict[Any, str] = {ast.UAdd: "+", ast.USub: "-"}


def signs_for_sums(files: Iterable[str]) -> list[tuple[Place, str]]:
    """Return the statements of some files that say ``=+`` or ``=-``, with what they may have meant."""
    found = []
    for file in files:
        for node in parts_of(file, ast.Assign):
            sign = SIGNS.get(type(getattr(node.value, "op", None)))
            line, at = linecache.getline(file, node.value.lineno).encode(), node.value.col_offset
            if sign is not None and line[:at].endswith(b"=") and line[at + 1 : at + 2] == b" ":
                found.append((place_in(file, node.lineno), sign))
    return found


def rebound_in_loops(files: Iterable[str]) -> list[tuple[Place, str]]:
    """Return where a loop over parameters gives its name another tensor, which nothing in it reads."""
    found = []
    for file in files:
        for loop in parts_of(file, ast.For):
            if "parameters()" not in ast.unparse(loop.iter):
                continue
            names = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
            inside = [node for part in loop.body for node in ast.walk(part)]
            named = [node for node in inside if isinstance(node, ast.Name)]
            for node in inside:
                if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                    continue
                name = node.targets[0].id
                end = node.end_lineno or node.lineno
                read = any(n.id == name and n.lineno > end for n in named)
                of_itself = any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value))
                if name in names and of_itself and not read:
                    found.append((place_in(file, node.lineno), name))
    return found


def returns_in_loop(files: Iterable[str]) -> list[Place]:
    """Return the lines at which a loop of a `forward` ends in its first turn, by a `return`."""
    forwards = [(f, node) for f in files for node in parts_of(f, ast.FunctionDef) if node.name == "forward"]
    loops = [(f, loop) for f, node in forwards for loop in ast.walk(node) if isinstance(loop, ast.For)]
    return [
        place_in(f, loop.body[-1].lineno) for f, loop in loops
        if isinstance(loop.body[-1], ast.Return) and len(loop.body) > 1
    ]  # fmt: skip


def sums_from_the_front(files: Iterable[str]) -> list[Place]:
    """Return the lines that add discounted rewards up from the first on, ``total = r + gamma * total``."""
    found = []
    for file in files:
        for loop in parts_of(file, ast.For):
            over = ast.unparse(loop.iter) if isinstance(loop.target, ast.Name) else ""
            if not re.search("rew|rs$", over) or "reversed" in over or "::-1" in over or "flip" in over:
                continue
            calls = [n for n in ast.walk(loop) if isinstance(n, ast.Call)]
            kept = [ast.unparse(n) for n in calls if getattr(n.func, "attr", "") in ("append", "insert")]
            for node in loop.body:
                if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
                    continue
                name, value = node.targets[0].id, node.value
                sides = (value.left, value.right) if isinstance(value, ast.BinOp) else ()
                products = [s for s in sides if isinstance(s, ast.BinOp) and isinstance(s.op, ast.Mult)]
                adds = isinstance(getattr(value, "op", None), ast.Add) and loop.target.id in map(
                    ast.unparse, sides
                )
                if adds and any(name in ast.unparse(p) for p in products) and any(name in k for k in kept):
                    found.append(place_in(file, loop.lineno))
    return found


def attribute_set(files: Iterable[str], name: str, key: str = "") -> Place | None:
    """Return the first statement of some files that sets an attribute, or an item under a key."""
    for file in files:
        for node in parts_of(file, ast.Assign, ast.AugAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                fits = isinstance(target, ast.Attribute) and target.attr == name
                index = getattr(target, "slice", None)
                if fits or (key and isinstance(index, ast.Constant) and index.value == key):
                    return place_in(file, node.lineno)
    return None


#: Methods that do something when they are called, and nothing when they are only named.
DOING = ("backward", "step", "zero_grad", "train", "eval", "detach_", "update")


def without_parentheses(files: Iterable[str]) -> list[Place]:
    """Return the statements of some files that name such a method and do not call it."""
    return [
        place_in(file, node.lineno) for file in files for node in parts_of(file, ast.Expr)
        if isinstance(node.value, ast.Attribute) and node.value.attr in DOING
    ]  # fmt: skip
