"""Tell each op of pullback in ops of ONNX: a file for each kind of op, one table for all (`onnx.rules`).

An op that has no rule of its own and is elementwise is told by its scalar form, from which the compiler makes
loops: there it is written once in terms of additions, products and functions.
"""

from ..rules import RULES, Unsupported
from . import elementwise as elementwise
from . import gather as gather
from . import normalize as normalize
from . import product as product
from . import random as random
from . import recurrent as recurrent
from . import reduce as reduce
from . import sample as sample
from . import view as view

__all__ = ["RULES", "Unsupported"]
