"""Publish the elementwise functions that are an op as it stands.

What a function returns and takes, its names and its in-place variant stand in the op's declaration; the text
around that follows from the op.
"""

from ..core.op import TABLE, Op
from ..ops import angle, bessel, gamma, special  # noqa: F401  # their ops are declared
from ..ops.signatures import FLOATS, REALS
from .api import OUT, public_op
from .inplace_checks import gives_bools
from .inplace_variants import InPlace
from .operands import declare, described
from .signature import leading


def _gives(op: Op, shape: str) -> str:
    """Return what help says of the result: its shape and its dtype."""
    if op.promote == "float":
        return f"Of {shape}, and floating."
    if gives_bools(op):
        return f"Of bool, in {shape}."
    return "Of the shape and dtype of `input`." if len(op.inputs) == 1 else f"Of {shape} and dtype."


def _text(op: Op) -> str:
    takes = op.takes or (FLOATS if op.check is None else REALS)
    operands = [f"input : Tensor\n    {takes}"]
    shape = "the shape of `input`"
    if len(op.inputs) == 2:
        numbers = any("Number" in text for text in op.signatures) if op.signatures else op.numbers
        operand = leading(op.signatures[0])[1] if op.signatures else ""
        name = operand.split(" ")[1] if operand.count(" ") == 1 else "other"
        kinds = "Tensor or number" if numbers else "Tensor"
        operands.append(f"{name} : {kinds}\n    Of a shape that broadcasts with that of `input`.")
        shape = "the common shape"
    if not op.signatures or any("out = " in text for text in op.signatures):
        operands.append(OUT.rstrip())
    return described(op.summary, *operands, returns=f"Tensor\n    {_gives(op, shape)}")


#: The names of these functions, by how many elements they take.
NAMES: dict[int, list[str]] = {1: [], 2: []}
for _op in TABLE.values():
    _own = [n for n in _op.names if "." not in n]
    if not _own:
        continue
    NAMES[len(_op.inputs)] += _own
    _inplace = InPlace(written=_op.inplace) if callable(_op.inplace) else _op.inplace
    if _op.signatures:
        declare(_op.name, _op.call, *_op.signatures, method=_op.method, inplace=_inplace, text=_text(_op))
    else:
        public_op(_op.call, _text(_op), method=_op.method, aliases=_own[1:], inplace=_inplace)
