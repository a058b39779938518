"""Write an explanation as text for a terminal: at most 100 columns, plain characters of one width."""

import math
import os
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from .explanation import Arrow, Contribution, Explanation, Jacobian, LeafPart, OutputPart, Step
from .inside import table
from .jacobian import IN_WORDS
from .shown import Shown, dims, widened
from .shown import figures as figures_of

WIDTH = 100

#: Steps, leaves and contributions that are printed; the page and `to_dict` have all.
MOST_STEPS = 40
MOST_LEAVES = 24
MOST_TERMS = 16

#: Elements of the largest value that is printed on one line.
MOST_IN_LINE = 12

#: Elements of the largest value that is printed whole.
LARGEST = 24


def text_of(explanation: Explanation) -> str:
    """Return the whole explanation."""
    lines = [
        *_head(explanation),
        *(line for output in explanation.outputs for line in _output(output)),
        *_leaves(explanation),
        *_path(explanation),
        *_notes(explanation.notes),
    ]
    return "\n".join(_clipped(line) for line in lines)


def _clipped(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def _head(explanation: Explanation) -> Iterator[str]:
    call = explanation.call
    place = f"{os.path.basename(call.file)}:{call.line}" if call.file else ""
    code = call.code or f"{call.kind}(…)"
    yield f"{code}{' ' * max(2, WIDTH - len(code) - len(place))}{place}" if place else code
    yield "─" * WIDTH


def _output(output: OutputPart) -> Iterator[str]:
    v = output.covector
    if output.value is not None:
        yield from _named(output.name, output.value, output.written or "")
    yield from _named(v.name or "v", v.value, "left out, so it is 1" if v.default else "")


def _named(name: str, value: Shown, remark: str = "") -> Iterator[str]:
    head = f"{name}  {dims(value.shape)} {value.dtype}"
    if remark:
        head = f"{head} ({remark})"
    yield from _value(f"{head} = ", value)


def _leaves(explanation: Explanation) -> Iterator[str]:
    for part in explanation.leaves[:MOST_LEAVES]:
        yield ""
        yield from _leaf(explanation, part)
    more = len(explanation.leaves) - MOST_LEAVES
    if more > 0:
        yield ""
        yield f"… and {more} more leaves"


def _leaf(explanation: Explanation, part: LeafPart) -> Iterator[str]:
    place = f", set at line {part.line}" if part.line is not None else ""
    yield from _value(f"{part.name}  {dims(part.shape)} {part.dtype}{place} = ", part.value)
    if part.gradient is None:
        outputs = ", ".join(o.name for o in explanation.outputs)
        yield f"    no covector arrives: {outputs} does not depend on {part.name}"
        return
    covectors = " + ".join(_product(o, len(explanation.outputs)) for o in explanation.outputs)
    if _is_row(explanation, part):
        covectors += f" = J = {part.jacobians[0].title}"
    else:
        for jacobian in part.jacobians:
            yield from _jacobian(jacobian, explanation.outputs[jacobian.output].shape, part.shape)
    yield from _value(f"    {covectors} = ", part.gradient)
    if part.contributions:
        if len(part.contributions) > 1:
            yield "    what each element of v brings:"
            yield from _terms(explanation, part.contributions)
    elif part.why_no_contributions and part.jacobians:
        yield f"    not taken apart: {part.why_no_contributions}"
    yield from _accumulation(explanation, part)
    if part.check is not None:
        verdict = "agrees" if part.check.agrees else "DOES NOT AGREE"
        relative = part.check.relative_error
        error = f"largest error {part.check.largest_error:.1e}"
        if relative is not None:
            error = f"relative error {relative:.1e}" + ("" if part.check.agrees else f" ({error})")
        yield from _wrapped(f"checked by {part.check.method}: {verdict}, {error}")
        if part.check.remark:
            yield from _wrapped(part.check.remark)
    elif part.why_unchecked:
        yield from _wrapped(f"not checked by central differences: {part.why_unchecked}")


def _is_row(explanation: Explanation, part: LeafPart) -> bool:
    """Return whether J is one row, and v is 1: then J is the gradient, and need not be told twice."""
    if len(part.jacobians) != 1 or part.jacobians[0].value is None or part.gradient is None:
        return False
    return explanation.outputs[0].covector.default and bool(part.shape)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)


def _product(output: OutputPart, count: int) -> str:
    v = output.covector.name or "v"
    v = v if len(v) <= 20 and v.replace(".", "").replace("_", "").isalnum() else "v"
    return f"{v}ᵀ·J" if count == 1 else f"{v}ᵀ·∂{output.name}"


def _jacobian(jacobian: Jacobian, out: tuple[int, ...], into: tuple[int, ...]) -> Iterator[str]:
    shape = "×".join(map(str, jacobian.shape)) or "one number"
    words = IN_WORDS.get(jacobian.structure, jacobian.structure)
    head = f"    J = {jacobian.title}  {shape}"
    if jacobian.structure != "scalar":
        head += f", {words}"
    if jacobian.value is None:
        yield head
        yield f"        not built: {jacobian.why_absent}"
    elif jacobian.value.array is not None and len(out) and len(jacobian.shape) > 2 and len(into):
        yield head
        rows = jacobian.value.array.reshape(-1, *into)
        for index, row in list(zip(np.ndindex(*out), rows))[:MOST_TERMS]:
            yield from _array(f"        J[{','.join(map(str, index))}] = ", row)
        if len(rows) > MOST_TERMS:
            yield f"        … {len(rows) - MOST_TERMS} more rows"
    else:
        yield from _value(f"{head}: ", jacobian.value)


def _terms(explanation: Explanation, terms: list[Contribution]) -> Iterator[str]:
    shown = terms if len(terms) <= MOST_TERMS else [*terms[: MOST_TERMS - 2], terms[-1]]
    several = len(explanation.outputs) > 1
    for position, term in enumerate(shown):
        if position == len(shown) - 1 and len(shown) < len(terms):
            yield f"        … {len(terms) - len(shown)} more"
        place = f"[{','.join(map(str, term.index))}]" if term.index else ""
        name = f"v{place}" if not several else f"v of {explanation.outputs[term.output].name}{place}"
        if math.prod(term.product.shape) > MOST_IN_LINE:
            factor = f"{_number(term.covector)} · J{place or '[]'}"
            yield f"        {name}: {factor}, {_short(term.product)}   so far {_short(term.running)}"
            continue
        product = f"{name}: {_number(term.covector)} · {_short(term.row)} = {_short(term.product)}"
        if len(product) + len(_short(term.running)) + 19 <= WIDTH:
            yield f"        {product}   so far {_short(term.running)}"
        else:
            yield f"        {product}"
            yield f"            so far {_short(term.running)}"


def _accumulation(explanation: Explanation, part: LeafPart) -> Iterator[str]:
    if explanation.call.kind == "grad" or part.after is None:
        return
    verb = "would become" if explanation.call.kind == "explain" else "became"
    if part.before is None:
        yield f"    {part.name}.grad was None and {verb} this"
    else:
        yield (
            f"    {part.name}.grad was {_short(part.before)}; this was added: it {verb} {_short(part.after)}"
            if explanation.call.kind != "explain"
            else f"    {part.name}.grad is {_short(part.before)}; with this added it {verb} "
            f"{_short(part.after)}"
        )


def _path(explanation: Explanation) -> Iterator[str]:
    steps = [step for step in explanation.steps if step.kind != "group"]
    if not steps:
        return
    arriving: dict[int, list[Arrow]] = {}
    leaving: dict[int, list[Arrow]] = {}
    for arrow in explanation.arrows:
        arriving.setdefault(arrow.target, []).append(arrow)
        leaving.setdefault(arrow.source, []).append(arrow)
    yield ""
    groups = [step for step in explanation.steps if step.kind == "group"]
    yield f"The path of the covector, {len(steps)} steps; |g| is the norm of what comes in"
    if len(steps) > MOST_STEPS:
        yield from _by_group(explanation, groups)
        steps = steps[:MOST_STEPS]
    before = ""
    for step in steps:
        place = f"line {step.line}: {step.code}" if step.line is not None and step.code else ""
        told = place if place != before and step.kind != "leaf" else ""
        before = place if step.kind != "leaf" else before
        yield from _step(step, told, arriving.get(step.id, []), leaving.get(step.id, []))
    total = sum(step.kind != "group" for step in explanation.steps)
    if total > MOST_STEPS:
        yield f"  … {total - MOST_STEPS} more steps"


def _by_group(explanation: Explanation, groups: list[Step]) -> Iterator[str]:
    members = {member for group in groups for member in group.members}
    for group in groups:
        if group.id not in members:
            yield f"  {group.name}: {_count(explanation, group)} steps"


def _count(explanation: Explanation, group: Step) -> int:
    by_id = {step.id: step for step in explanation.steps}
    total = 0
    stack = [group.id]
    while stack:
        step = by_id[stack.pop()]
        if step.kind == "group":
            stack.extend(step.members)
        else:
            total += 1
    return total


def _step(step: Step, place: str, arriving: list[Arrow], leaving: list[Arrow]) -> Iterator[str]:
    """Return the lines about a step; `place` is its line in the program, where it is not that of the last."""
    name = step.variable or ""
    recorded = f"{step.known_as}, {step.name}" if step.known_as else step.name
    title = f"leaf {name}".rstrip() if step.kind == "leaf" else recorded
    shape = dims(step.shape) if step.shape is not None else ""
    made = f" → {name}" if name and step.kind != "leaf" else ""
    norm = "no covector" if step.norm is None else f"|g| {_number(step.norm)}"
    module = f"  in {step.module}" if step.module else ""
    yield f"  {step.id:>3} {title}{made}  {shape}  {norm}{module}"
    if step.kind == "leaf":
        if len(arriving) > 1:
            yield f"        {_meeting(arriving)}"
        return
    if place:
        yield f"        {place}"
    if len(arriving) > 1:
        yield f"        {_meeting(arriving)}"
    formulas = (step.formula or "").splitlines()
    if len("; ".join(formulas)) <= WIDTH - 8:
        formulas = ["; ".join(formulas)] if formulas else []
    for formula in formulas:
        yield f"        {formula}"
    if step.inside is not None:
        yield f"        inside, {step.inside.title}"
        yield from (f"          {line}" for line in table(step.inside, WIDTH - 10))
    if leaving:
        ends = ", ".join(f"{a.target} (|{_number(a.norm)}|)" for a in leaving[:8])
        more = f" and {len(leaving) - 8} more" if len(leaving) > 8 else ""
        structure = f"{step.structure}; " if step.structure else ""
        yield f"        {structure}sends to {ends}{more}"


def _meeting(arriving: list[Arrow]) -> str:
    terms = " + ".join(
        f"{_short(a.value) if a.value is not None else '|' + _number(a.norm) + '|'} from {a.source}"
        for a in arriving[:6]
    )
    more = f" + {len(arriving) - 6} more" if len(arriving) > 6 else ""
    return f"{len(arriving)} paths meet: {terms}{more}"


def _notes(notes: Iterable[str]) -> Iterator[str]:
    for note in notes:
        yield ""
        yield from textwrap.wrap(note, WIDTH, initial_indent="Note: ", subsequent_indent="      ")


# --- numbers ------------------------------------------------------------------------------------------------


def _number(value: complex) -> str:
    if isinstance(value, complex):
        return f"({value.real:.4g}{value.imag:+.4g}j)"
    return f"{value:.10g}" if float(value).is_integer() and abs(value) < 1e6 else f"{value:.4g}"


def _format(array: ndarray) -> str:
    wide = array.astype(np.float64) if array.dtype.kind in "fV" else array
    with np.printoptions(precision=4, suppress=True, linewidth=WIDTH - 8, threshold=200):
        if wide.size and wide.dtype.kind == "f" and _needs_exponents(wide):
            return np.array2string(wide, formatter={"float_kind": lambda v: f"{v:.4g}"}, separator=", ")
        return np.array2string(wide, separator=", ")


def _needs_exponents(array: ndarray) -> bool:
    sizes = np.abs(array[np.isfinite(array) & (array != 0)])
    return bool(sizes.size) and (float(sizes.max()) >= 1e7 or float(sizes.min()) < 1e-3)


def _value(head: str, value: Shown) -> Iterator[str]:
    figures = value.summary or {}
    if value.array is not None:
        if value.array.size <= LARGEST:
            yield from _array(head, value.array)
            return
        figures = figures_of(value.array)
    counts = ", ".join(
        f"{figures[k]} {word}" for k, word in (("nan", "NaN"), ("inf", "infinite")) if figures[k]
    )
    yield (
        f"{head}{dims(value.shape)}, norm {_number(figures['norm'])}, from {_number(figures['min'])} to "
        f"{_number(figures['max'])}, {figures['zeros']:,} zeros{', ' + counts if counts else ''}"
    )


def _array(head: str, array: ndarray) -> Iterator[str]:
    lines = _format(array).splitlines()
    if len(lines) == 1 and len(head) + len(lines[0]) <= WIDTH:
        yield head + lines[0]
        return
    yield head.rstrip()
    for line in lines[:MOST_TERMS]:
        yield f"        {line}"
    if len(lines) > MOST_TERMS:
        yield f"        … {len(lines) - MOST_TERMS} more lines"


def _short(value: Shown) -> str:
    """Return a value on one line."""
    if value.array is None or value.array.size > MOST_IN_LINE:
        return f"{dims(value.shape)} of norm {_number(value.norm)}"
    text = _compact(
        widened(value.array).tolist() if value.array.dtype.kind in "fVcW" else value.array.tolist()
    )
    return text if len(text) <= 72 else text[:71] + "…"


def _compact(value: Any) -> str:
    return f"[{', '.join(map(_compact, value))}]" if isinstance(value, list) else _number(value)
