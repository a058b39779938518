"""Hold the explanation of one call of `backward` or `grad`: plain data, made once, without the graph.

What needs the graph again (one row or column of a Jacobian that was not built) goes through `Explanation.row`
and `Explanation.column`, for as long as the graph is there.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from .heat import Heat
from .inside import Inside
from .shown import Plain, Shown, plain_data

#: Version of the schema of `Explanation.to_dict` (docs/design/0004-explain.md).
VERSION = 2


@dataclass(frozen=True)
class Call(Plain):
    """The call that is explained: its kind ("backward", "grad" or "explain") and place."""

    kind: str
    file: str
    line: int
    code: str


@dataclass(frozen=True)
class Covector(Plain):
    """The covector v of one output.

    Attributes
    ----------
    name : str
        What the program calls it; "" where it was left out.
    value : Shown
        As it was given.
    default : bool
        Whether it was left out, and so is 1.
    broadcast_from : tuple of int or None
        The output's shape where v has more axes: then v is a batch of covectors, whose pullbacks add up.
    norm : float
    """

    name: str
    value: Shown
    default: bool
    broadcast_from: tuple[int, ...] | None
    norm: float


@dataclass(frozen=True)
class OutputPart(Plain):
    """One output y and its covector.

    `node` is the id of the step that made it (None where no asked-for input leads to it), `written` the
    expression in the call where that is no name.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    value: Shown | None
    covector: Covector
    node: int | None
    written: str | None = None


@dataclass(frozen=True)
class Jacobian(Plain):
    """J of one output by one leaf.

    Attributes
    ----------
    output : int
    shape : tuple of int
        The output's shape, then the leaf's.
    title : str
        ``∂y[i]/∂x[k]`` in the program's names.
    structure : str
        What is known of J: "dense", "diagonal", "selection", "sum", "linear", …
    value : Shown or None
    why_absent : str or None
        Why J was not built.
    """

    output: int
    shape: tuple[int, ...]
    title: str
    structure: str
    value: Shown | None = None
    why_absent: str | None = None


@dataclass(frozen=True)
class Contribution(Plain):
    """Hold what one element of a covector adds to a gradient: ``v[i]·J[i]``.

    Attributes
    ----------
    output : int
    index : tuple of int
        Place of the element in v as it was given.
    covector : float or complex
        The element.
    row : Shown
        The row of J that it multiplies.
    product : Shown
    running : Shown
        The sum up to here; the last one is the gradient.
    """

    output: int
    index: tuple[int, ...]
    covector: float | complex
    row: Shown
    product: Shown
    running: Shown


@dataclass(frozen=True)
class Check(Plain):
    """A comparison with central differences in float64.

    `relative_error` is the largest error by the largest slope; None where all slopes are 0.
    """

    method: str
    largest_error: float
    agrees: bool
    remark: str | None = None
    relative_error: float | None = None


@dataclass
class LeafPart(Plain):
    """One tensor that gradients were asked for, or that they end at.

    Attributes
    ----------
    before, after : Shown or None
        Its `.grad` before and after the call; for `explain`, what the call would leave. None: no `.grad`, or
        a call of `grad`, which writes none.
    gradient : Shown or None
        ``vᵀ·J``; None where no covector arrives.
    jacobians : list of Jacobian
        One per output.
    contributions : list of Contribution or None
    check : Check or None
    why_unchecked : str or None
    heat : Heat or None
        The gradient as a picture, in the leaf's shape.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    value: Shown
    file: str | None
    line: int | None
    node: int | None
    before: Shown | None
    gradient: Shown | None
    after: Shown | None
    jacobians: list[Jacobian] = field(default_factory=list)
    contributions: list[Contribution] | None = None
    why_no_contributions: str | None = None
    check: Check | None = None
    why_unchecked: str | None = None
    heat: Heat | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the leaf as plain data."""
        told = super().to_dict()
        return {**told, "jacobian": told["jacobians"][0] if self.jacobians else None}


@dataclass
class Saved(Plain):
    """A value that a step kept for its rule."""

    name: str
    shape: tuple[int, ...] | None
    norm: float | None
    value: str | None = None


@dataclass
class Step(Plain):
    """One box of the path: an op, a leaf, or a group of them.

    Attributes
    ----------
    id : int
    kind : {"output", "op", "leaf", "group"}
        "output": the op that made an output.
    name : str
        Class name of the node, as torch prints it; of a group its title.
    op : str or None
    formula : str or None
        The rule, one line per input.
    file, line, code
        Where the program made it.
    known_as : str or None
        What a beginner knows it by: the public function, "cross_entropy" or "tanh".
    variable : str or None
        What the program calls the result.
    module : str or None
        Path of the module whose call made it.
    scopes : list of (str, str)
        The calls of modules and of public functions that it was made in, the outermost first: a key that
        tells calls apart, and a title such as "Linear model.2".
    shape, dtype
        Of the result; `shapes` has all where there are several.
    value : Shown or None
        The result, where it is still known.
    says : str or None
        A sentence about what it does to the covector.
    inside : Inside or None
        Of a recurrent layer or of attention: what happens in its steps.
    structure : str or None
        What J of this step looks like.
    norm : float or None
        Of the covector that comes in.
    incoming : Shown or None
    saved : list of Saved
    members : list of int
        Of a group: ids of what it holds, groups included.
    """

    id: int
    kind: str
    name: str
    op: str | None = None
    formula: str | None = None
    file: str | None = None
    line: int | None = None
    code: str | None = None
    variable: str | None = None
    module: str | None = None
    known_as: str | None = None
    scopes: list[tuple[str, str]] = field(default_factory=list)
    value: Shown | None = None
    says: str | None = None
    inside: Inside | None = None
    shape: tuple[int, ...] | None = None
    shapes: list[tuple[int, ...] | None] = field(default_factory=list)
    dtype: str | None = None
    structure: str | None = None
    norm: float | None = None
    incoming: Shown | None = None
    saved: list[Saved] = field(default_factory=list)
    members: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data."""
        told = super().to_dict()
        norm, value = told.pop("norm"), told["incoming"]
        return {**told, "incoming": None if norm is None else {"norm": norm, "value": value}}


@dataclass
class Arrow(Plain):
    """A covector that the rule of step `source` sent to step `target`.

    `input` is the place among the inputs of the source's op, `output` the target's result that the covector
    belongs to.
    """

    source: int
    target: int
    input: int
    output: int
    shape: tuple[int, ...]
    norm: float
    value: Shown | None = None


@dataclass(repr=False)
class Explanation:
    """Describe what one call of `backward` did, or would do.

    Printed it is a text for a terminal, in a notebook a page.

    Attributes
    ----------
    call : Call
    outputs : list of OutputPart
    leaves : list of LeafPart
    steps : list of Step
        The path, in the order in which rules run.
    arrows : list of Arrow
    notes : list of str
    """

    call: Call
    outputs: list[OutputPart] = field(default_factory=list)
    leaves: list[LeafPart] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: The output of a call that is only mentioned, where it is one number.
    loss: float | None = None
    #: Pull back one row, or push forward one column, on the graph; None once that is gone.
    _row: Callable[..., Any] | None = field(default=None, repr=False, compare=False)
    _column: Callable[..., Any] | None = field(default=None, repr=False, compare=False)
    #: The tensors that `leaves` is about, until a recording has looked at them.
    _tensors: list[Any] = field(default_factory=list, repr=False, compare=False)

    def leaf(self, name: str) -> LeafPart:
        """Return the part about the leaf of a name.

        Raises
        ------
        KeyError
            Where no leaf has that name.
        """
        for part in self.leaves:
            if part.name == name:
                return part
        raise KeyError(f"no leaf {name!r}; there are {[part.name for part in self.leaves]}")

    def row(self, index: Any, output: int = 0) -> dict[str, Any]:
        """Return one row of J for each leaf: ``∂y[index]/∂x``, an array of the leaf's shape under the leaf's
        name.

        Parameters
        ----------
        index : int or tuple of int
            Place in the output; a single number counts its elements in C order.
        output : int
            Which output.

        Raises
        ------
        RuntimeError
            Where the graph has been freed, or a value that it saved was changed in place.
        """
        return self._on_graph(self._row)(index, output)

    def column(self, name: str, index: Any, output: int = 0) -> Any:
        """Return one column of J: ``∂y/∂x[index]`` for the leaf of a name, an array of the output's shape.

        Parameters
        ----------
        name : str
            The leaf.
        index : int or tuple of int
            Place in the leaf; a single number counts its elements in C order.
        output : int
            Which output.

        Raises
        ------
        RuntimeError
            As for `row`.
        """
        return self._on_graph(self._column)(name, index, output)

    @staticmethod
    def _on_graph(function: Callable[..., Any] | None) -> Callable[..., Any]:
        if function is None:
            error = RuntimeError(
                "the graph of this call is gone: a row or column cannot be computed any more"
            )
            error.add_note("Use explain(y, v) before backward, or record(keep_graphs=True).")
            raise error
        return function

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as lists, dictionaries, strings and numbers, which JSON can hold."""
        return {
            "version": VERSION, "call": self.call.to_dict(), "outputs": plain_data(self.outputs),
            "leaves": plain_data(self.leaves), "notes": list(self.notes),
            "graph": {"nodes": plain_data(self.steps), "edges": plain_data(self.arrows)},
        }  # fmt: skip

    def save(self, file: str | PathLike[str]) -> None:
        """Write the explanation as one page of HTML that needs nothing beside it, not even a network.

        Parameters
        ----------
        file : str or path
            Where to; an existing file is overwritten.
        """
        from .page import page_of

        Path(file).write_text(page_of([self.to_dict()]), encoding="utf-8")

    def _repr_html_(self) -> str:
        """Return the page in a frame, which is what a notebook shows."""
        from .page import frame_of

        return frame_of([self.to_dict()])

    def __str__(self) -> str:
        from .text import text_of

        return text_of(self)

    __repr__ = __str__
