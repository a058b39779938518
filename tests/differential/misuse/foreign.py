"""Texts of NumPy's and of Python's own insides, which no user of pullback is to read."""

from __future__ import annotations

import re

#: Classes of errors that torch never raises.
CLASSES = frozenset(
    {
        "UFuncTypeError",
        "_UFuncNoLoopError",
        "_UFuncBinaryResolutionError",
        "AxisError",
        "KeyError",
        "_UFuncOutputCastingError",
        "_UFuncInputCastingError",
        "UnboundLocalError",
        "NameError",
        "ComplexWarning",
        "LinAlgError",
        "FloatingPointError",
        "ZeroDivisionError",
        "StopIteration",
        "_ArrayMemoryError",
        "DTypePromotionError",
        "StructError",
        "error",
        "LookupError",
        "UnicodeDecodeError",
    }
)
CLASSES_OF_TORCH = {"_LinAlgError": "LinAlgError"}

#: Texts that only NumPy, SciPy and ml_dtypes have.
OF_NUMPY = re.compile(
    r"operands could not be broadcast|shapes \(.*\) .* not aligned|ufunc|cannot reshape array|"
    r"is out of bounds for axis|cannot select an axis|axes don't match array|repeated axis|"
    r"could not broadcast input array|setting an array element|invalid literal|Cannot cast|"
    r"all the input array|array must not|zero-size array|core dimension|einstein sum|einsum|"
    r"boolean index did not match|shape mismatch(?!: (value|indexing) tensor)|"
    r"index arrays|arrays used as indices|"
    r"only integers, slices(?!.*Variables)|too many indices for array|only length-1 arrays|0-d arrays|"
    r"could not convert string|must be a sequence of|maximum supported dimension|Maximum allowed dimension|"
    r"DTypePromotion|data type .* not understood|numpy(?!\.ndarray)|scipy|ml_dtypes|dtype\('|"
    r"negative dimensions are not allowed|cannot do a non-empty take|need at least one array|"
    r"only size-1 arrays|Unable to allocate|array is too big|invalid dtype|inhomogeneous|"
    r"truth value of an array|Invalid dims|expected a .*-D array|window shape|"
    r"object of type 'numpy|divide by zero|invalid value encountered|array dimensions"
)

#: Texts of Python's own, which torch's functions in Python have, too.
OF_PYTHON = re.compile(
    r"object has no attribute|unsupported operand|object is not iterable|object is not subscriptable|"
    r"has no len\(\)|not supported between|bad operand type|cannot be interpreted as an integer|"
    r"not callable|unhashable|list index out of range|tuple index out of range|unpack|string index|"
    r"must be real number|math domain error|can only concatenate|can't multiply|bit_length|"
    r"got an unexpected keyword|positional argument|multiple values|arg is an empty|Python int too large|"
    r"slice indices must|range\(\) arg|int\(\) argument|float\(\) argument|object cannot be"
)


def is_numpys(kind: str, text: str) -> bool:
    """Whether an error can only be NumPy's or an oversight."""
    return kind in CLASSES or OF_NUMPY.search(text) is not None


#: Where torch itself says such a thing: Python's division, and NumPy's operators on NumPy's operand.
OF_TORCH = re.compile(r"np\.|multilabel_soft_margin_loss|group_norm|interpolate")


def is_pythons(kind: str, text: str) -> bool:
    """Whether an error reads like one of Python's own, which is right only where torch says so, too."""
    return OF_PYTHON.search(text) is not None
