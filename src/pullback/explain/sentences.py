"""Tell of each step of a path in one sentence, and under a name that a beginner knows.

The sentence is made from what the op is declared with: its kind, and its derivative rule as a formula.
"""

import re
from collections.abc import Sequence
from typing import Any

from numpy import ndarray

from ..core.node import Node
from .formula import KNOWN
from .forward import range_of

#: What steps of a kind do to a covector; of elementwise steps the slope is told.
BY_KIND = {
    "view": "moves elements to other places: each covector element goes back to where its element came from",
    "gather": "picks elements: each covector element goes back to the one that was picked, the others get 0",
    "linear": "is linear: what goes back does not depend on the values",
    "reduce": "makes one number out of many: each of the many gets its share of the covector",
    "bilinear": "multiplies two tensors: what goes back to one of them is the covector times the other",
    "opaque": "lets each result depend on several inputs: the rule tells what goes back",
}  # fmt: skip

#: What goes back through a layer that is one op, by the name that a reader knows.
_THROUGH_TIME = (
    "goes back from the last step to the first: a step gets the covector of its output and what the next step"
    " sends to the state"
)
BY_NAME = {
    **dict.fromkeys(("lstm", "gru", "rnn"), _THROUGH_TIME),
    "scaled_dot_product_attention":
        "mixes the values by softmax(query @ key.T): the values get the covector by the same weights, queries"
        " and keys get what changes the weights",
}  # fmt: skip

#: Ops that have the name of a record, by what a beginner would have written.
WRITTEN = {**KNOWN, "t": "transpose", "addmm": "linear", "contiguous_copy": "contiguous",
           "mkldnn_rnn_layer": "lstm", "elman": "rnn"}  # fmt: skip

#: Endings of the names of ops that are variants of one public function.
_VARIANT = re.compile(r"(_all|_dims|_scalar|_nt|_tn|_copy|_of|_as_self|_packed)$")


def known_name(op: Any, node_name: str) -> str:
    """Return the name of a public function that a reader knows the op of a node by."""
    if op is None:
        return re.sub(r"Backward\d*$", "", node_name) or node_name
    if op.name in WRITTEN:
        return WRITTEN[op.name]
    if op.names:
        return str(op.names[0]).rpartition(".")[2]
    name = str(op.base or op.name)
    plain = _VARIANT.sub("", name)
    return WRITTEN.get(name) or WRITTEN.get(plain, plain)


def op_of(node: Node) -> str:
    """Return the op of a node in a message: `tanh`, between backquotes."""
    return f"`{known_name(node._op, type(node).__name__)}`"


def sentence(op: Any, name: str, formula: str | None, slopes: Sequence[ndarray | None] | None) -> str | None:
    """Return what a step does to the covector: "tanh: slope 1 - out², here 0.02 to 0.9".

    `formula` is the rule, a line for each input; `slopes` are those of an elementwise step, one for each
    input.
    """
    if op is None:
        return None
    if op.kind != "elementwise":
        return f"{name}: {BY_NAME.get(name) or _of_kind(op.kind, formula or '')}"
    lines = (formula or "").splitlines()
    rules = [line.partition(" = ")[2] if line.startswith("g_") else line for line in lines]
    into = [line.partition(" = ")[0].removeprefix("g_") if line.startswith("g_") else "" for line in lines]
    if rules and all(rule == "g" for rule in rules):
        return f"{name}: slope 1, the covector goes on as it is"
    arriving = [s for s in slopes or [] if s is not None]
    parts = []
    for k, (rule, source) in enumerate(zip(rules, into)):
        text = f"slope {_slope(rule)}" if _slope(rule) else "slope"
        if source:
            text = f"for {source} {text}"
        if len(arriving) == len(rules) and not re.fullmatch(r"-?[\d.]+", _slope(rule)):
            text += f", {range_of(arriving[k])}"
        parts.append(text)
    return f"{name}: {'; '.join(parts)}" if parts else None


def _of_kind(kind: str, formula: str) -> str:
    if " @ " in formula:
        kind = "bilinear"
    share = re.fullmatch(r"expand\((g[^,]*), shape=[^g]*\)", formula)
    if kind == "reduce" and share:
        return f"makes one number out of many: each of the many gets {share[1]}"
    return BY_KIND.get(kind, BY_KIND["opaque"])


def _slope(rule: str) -> str:
    """Return a rule without its covector; "" where it is not a plain factor."""
    found = re.fullmatch(r"where\((?P<condition>[^,]*), 0, g\)", rule)
    if found:
        return f"1, and 0 where {found['condition']}"
    found = re.fullmatch(r"where\((?P<condition>[^,]*), g, 0\)", rule)
    if found:
        return f"1 where {found['condition']}, else 0"
    sign = "-" if rule.startswith("-") else ""
    rest = rule.removeprefix("-")
    if rest == "g":
        factor = "1"
    elif rest.startswith("g · "):
        factor = rest.removeprefix("g · ")
    elif rest.startswith("g / "):
        factor = "1 / " + rest.removeprefix("g / ")
    else:
        return ""
    if re.search(r"\bg\b", factor):
        return ""
    inner = re.fullmatch(r"\(([^()]*)\)", factor)
    return sign + factor if sign or inner is None else inner[1]
