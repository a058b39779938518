"""Wrong indices, wrong assignments and wrong operands of operators, which no call of a function says."""

from __future__ import annotations

from itertools import product

from .call import DTYPES, Code, T
from .mutations import NO_TENSORS

_TENSORS = (
    T("float32", (2, 3)),
    T("int64", ()),
    T("uint8", (0, 2)),
    T("bool", (3,)),
    T("complex64", (1, 2, 3)),
)
_INDICES = (
    "5",
    "-5",
    "1.5",
    "'a'",
    "None",
    "..., ...",
    "[..., ...]",
    "0, 0, 0, 0",
    "True",
    "False",
    "True, 0",
    "[0, 9]",
    "[[0, 1]]",
    "[0, 1.5]",
    "['a']",
    "[True, False]",
    "[True, False, True, True]",
    "()",
    "[]",
    "slice(None, None, -1)",
    "slice(0, 2, 0)",
    "slice('a', 2)",
    "slice(1.5, 2)",
    "slice(None, None, 'a')",
    "[0, 1], [0, 1, 2]",
    "[0], [0], [0], [0]",
    "{}",
    "{0}",
    "2j",
    "np.ones(2)",
    "np.array([0, 9])",
    "2**40",
    "2**63",
    "-(2**70)",
    "None, 5",
    "..., 5",
    "0, 'a'",
    "0, 1.5",
    "0, None, ...",
    "0, slice(None), 0, 0",
    "[[0, 1], [0]]",
    "[None]",
    "0, [0, 9]",
    "lambda: 0",
    "torch.float32",
    "np.int64(9)",
    "object()",
    "torch.tensor([True, False])",
    "torch.tensor([[True]])",
    "torch.tensor(9)",
    "torch.tensor([0, -9])",
    *(repr(T(dtype, (2,), (0, 1))) for dtype in DTYPES),
    *(repr(T(dtype, (), (0,))) for dtype in DTYPES),
    repr(T("int64", (0,))),
    repr(T("bool", (0,))),
    repr(T("bool", (2, 3))),
    repr(T("bool", (2, 2))),
    f"{T('int64', (2,), (0, 1))}, {T('int64', (3,), (0, 1, 0))}",
    f"0, {T('bool', (2,))}",
    f"{T('bool', (2,))}, {T('bool', (2,))}",
    f"{T('float32', (2,))}, 0",
    "slice(None), " + repr(T("bool", (5,))),
)
_VALUES = (
    *map(repr, (*NO_TENSORS, 300, -1, 2**70, True, Code("inf"), Code("nan"), [[1, 2], [3]], ["a"], {})),
    *(repr(T(dtype, ())) for dtype in DTYPES),
    *(repr(T(dtype, (2,))) for dtype in DTYPES),
    repr(T("float32", (7,))),
    repr(T("float32", (0,))),
    repr(T("float32", (4, 2, 3))),
    repr(T("int64", (1, 5))),
)
_PLACES = (
    "0",
    "...",
    "None",
    "[0]",
    "0, [0, 1]",
    "torch.tensor(True)",
    repr(T("bool", (2, 3))),
    repr(T("int64", (2,), (0, 1))),
    "slice(0, 0)",
    "slice(None), slice(None, None, 2)",
)
_BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">")
_OPERANDS = (
    T("float32", (2, 3)),
    T("int64", (2, 3)),
    T("uint8", ()),
    T("bool", (3,)),
    T("complex64", (2, 1)),
    T("uint16", (2,)),
    T("float8_e4m3fn", (2,)),
    T("float16", (3, 2)),
    T("uint64", ()),
)
_OTHERS = (
    *map(repr, (*NO_TENSORS, 300, -1, 0, 2**70, Code("inf"))),
    *(repr(T(d, (2,))) for d in DTYPES),
    *(repr(T(d, ())) for d in DTYPES),
    repr(T("float32", (5,))),
    repr(T("float32", (0,))),
)

SUBSCRIPTS: list[tuple[str, str]] = [
    *(("getitem", f"{x}[{index}]") for x, index in product(_TENSORS, _INDICES)),
    *(("setitem", f"{x}.__setitem__(({index}), 1)") for x, index in product(_TENSORS[:2], _INDICES)),
    *(
        ("setitem", f"{T(dtype, (2, 3))}.__setitem__(({place}), {value})")
        for dtype, place, value in product(
            ("float32", "uint8", "bool", "complex64", "int64"), _PLACES, _VALUES
        )
    ),
    *(("operator", f"{x} {op} {y}") for x, op, y in product(_OPERANDS, _BINARY, _OTHERS)),
    *(("operator", f"{y} {op} {x}") for x, op, y in product(_OPERANDS[:4], _BINARY, map(repr, NO_TENSORS))),
    *(
        ("operator", f"operator.i{op}({x}, {y})")
        for x, op, y in product(
            _OPERANDS,
            (
                "add",
                "sub",
                "mul",
                "truediv",
                "floordiv",
                "mod",
                "pow",
                "and",
                "or",
                "xor",
                "lshift",
                "rshift",
            ),
            _OTHERS,
        )
    ),
]
