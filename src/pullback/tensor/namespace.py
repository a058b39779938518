"""Collects what the modules of the facade declare: methods onto the class, functions into torch's namespaces.

A module of the facade declares its functions with `api.public`; importing it here is all that registers them.
"""

from typing import Any

from ..core import general_call  # noqa: F401  # how tensors run ops off the inline path
from ..ops import batching, structure  # noqa: F401  # hand the core what it needs
from ..torch_names.exclusions import Missing, excluded
from . import (  # noqa: F401  # importing a module registers what it declares
    activations,
    assign,
    axis_products,
    broadcast,
    closeness,
    complex_parts,
    contract,
    conversion,
    copies,
    creation,
    creation_like,
    extremes,
    factorizations,
    grids,
    histograms,
    indexing,
    join,
    legacy,
    limits,
    linear_algebra,
    lu,
    masks,
    math,
    matrix_functions,
    memory_format,
    norms,
    numbers,
    operators,
    overriding,
    padding,
    parts,
    product_sums,
    properties,
    python_protocol,
    random,
    random_in_place,
    ranges,
    rearrange,
    reductions,
    renorm,
    segments,
    select,
    serialization,
    settings,
    shape,
    shape_inplace,
    softmax,
    sorting,
    sparse_methods,
    special_functions,
    spectral,
    statistics,
    storage,
    whole_ops,
    wrappers,
)
from .api import declared, install  # noqa: F401  # the first for the top level
from .builtin import described, published  # noqa: F401  # for the top level
from .constants import CONSTANTS
from .read_calls import as_function
from .shown_signatures import tell
from .tensor import Tensor, seal

#: The names of torch's top level.
TOP_LEVEL: dict[str, Any] = {
    "Tensor": Tensor,
    **CONSTANTS,
    **random.FUNCTIONS,
    **legacy.TYPES,
    **settings.FUNCTIONS,
    **storage.NAMES,
    "DisableTorchFunctionSubclass": overriding.DisableTorchFunctionSubclass,
    "is_tensor": properties.is_tensor,
}

#: Ops of one element whose in-place variants torch has as methods alone.
METHODS_ONLY = "absolute bitwise_not digamma erfinv lgamma logical_not sgn sign"
#: In-place functions that torch's top level has beside those of ops of one element.
IN_PLACE = (
    "addmv alpha_dropout as_strided clamp clamp_max clamp_min clip conj_physical detach dropout fill gcd "
    "index_put lcm ldexp logit nan_to_num round square xlogy zero"
)

install(Tensor, TOP_LEVEL)
seal(Tensor)
for _name in excluded("torch.Tensor"):
    setattr(Tensor, _name, Missing("torch.Tensor", _name))
for _name in sorted({*whole_ops.NAMES[1], *IN_PLACE.split()}.difference(METHODS_ONLY.split())):
    if (_method := getattr(Tensor, f"{_name}_", None)) is not None:
        TOP_LEVEL.setdefault(f"{_name}_", published(as_function(_method, f"{_name}_"), f"{_name}_"))
tell("", TOP_LEVEL)
tell("Tensor", vars(Tensor))
