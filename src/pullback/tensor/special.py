"""torch.special: special functions under torch's names and signatures.

torch's messages call them special_*; the nodes of those that the top level has too are the same. Loaded with
`torch.special` only.
"""

import math
from collections.abc import Callable
from typing import Any

from ..core.op import TABLE
from ..ops import gamma as g
from ..ops import numbers, polynomials  # noqa: F401  # polynomials are declared
from ..ops import special as s
from ..ops.signatures import EITHER_NUMBER, ONE, TWO
from . import softmax
from .api import public
from .operands import by_operands, declare, described
from .out import ALIASES
from .special_functions import logit, mvlgamma, polygamma
from .tensor import Tensor

_INPUT = "input : Tensor\n    Real; integers are taken as the default dtype."
_OTHER = "other : Tensor\n    Of a shape that broadcasts with that of `input`."
_ARGUMENT_AND_DEGREE = (
    "x : Tensor or number",
    "n : Tensor or number\n    The degree, cut to an integer; a negative one gives 0.",
)


for _op in TABLE.values():
    for _name in (n.removeprefix("special.") for n in _op.names if n.startswith("special.")):
        if _name != _op.name:
            ALIASES[_name] = _op.name
        _takes = (_INPUT,) if len(_op.inputs) == 1 else _ARGUMENT_AND_DEGREE
        if _op.signatures is TWO:
            _takes = (f"input : Tensor\n    {_op.takes}", _OTHER)
        declare(
            _name, _op.call, *(_op.signatures or ONE), namespace="special",
            text=described(_op.summary, *_takes),
        )  # fmt: skip
declare(
    "ndtr", lambda input: (s.erf(input * math.sqrt(0.5)) + 1) * 0.5, *ONE, namespace="special",
    text=described("Return the distribution function of the standard normal, (1 + erf(x/√2))/2.", _INPUT),
)  # fmt: skip

#: Functions of a tensor and a parameter: two tensors, or one of them a number.
_BINARY: dict[str, tuple[Callable[..., Any], str]] = {
    "xlogy": (
        by_operands(s.xlogy, s.xlogy_of_number, s.xlogy_with_number), "Return x·log(y), 0 where x is 0."
    ),
    "xlog1py": (
        by_operands(s.xlog1py, s.xlog1py_of_number, s.xlog1py_with_number),
        "Return x·log(1 + y), 0 where x is 0.",
    ),
    "zeta": (
        by_operands(g.zeta, g.zeta_of_number, g.zeta_with_number),
        "Return the Hurwitz zeta function Σₖ (k + y)⁻ˣ (DLMF 25.11.1).",
    ),
}
for _name, (_function, _summary) in _BINARY.items():
    declare(_name, _function, *EITHER_NUMBER, namespace="special", text=described(_summary, _INPUT, _OTHER))


def round(input: Any, *, decimals: int = 0) -> Tensor:
    """Round to the nearest multiple of 10^−decimals, halves to even.

    Parameters
    ----------
    input : Tensor
        Floating.
    decimals : int
    """
    return numbers.round_decimals(input, decimals)


_DTYPE = "(Tensor input, int dim, *, torch.dtype dtype = None)"
for _name, _function, _signatures in (
    ("logit", logit, ("(Tensor input, float eps = None, *, Tensor out = None)",)),
    ("round", round, ("(Tensor input, *, int decimals = 0, Tensor out = None)",)),
    ("multigammaln", mvlgamma, ("(Tensor input, int p, *, Tensor out = None)",)),
    ("polygamma", polygamma, ("(int n, Tensor input, *, Tensor out = None)",)),
    ("softmax", softmax.softmax, (_DTYPE,)),
    ("log_softmax", softmax.log_softmax, (_DTYPE,)),
):
    declare(_name, _function, *_signatures, namespace="special")
public(softmax.logsumexp, name="logsumexp", namespace="special", method=False)
