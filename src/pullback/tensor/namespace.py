"""Collects what the modules of the facade declare: methods onto the class, functions into torch's namespaces.

A module of the facade declares its functions with `api.public`; importing it here is all that registers them.
"""

from __future__ import annotations

from typing import Any

from ..ops import parallel, structure  # noqa: F401  # hand the core what it needs
from . import (  # noqa: F401  # importing a module registers what it declares
    activations,
    assign,
    closeness,
    complex_parts,
    contract,
    conversion,
    creation,
    creation_like,
    extremes,
    grids,
    indexing,
    interchange,
    join,
    legacy,
    linear_algebra,
    math,
    memory_format,
    operators,
    overriding,
    parts,
    properties,
    python_protocol,
    random,
    ranges,
    rearrange,
    reductions,
    select,
    serialization,
    shape,
    shape_inplace,
    softmax,
    sorting,
    storage,
)
from .api import install
from .constants import CONSTANTS
from .tensor import Tensor, seal

#: The names of torch's top level.
TOP_LEVEL: dict[str, Any] = {
    "Tensor": Tensor,
    **CONSTANTS,
    **random.FUNCTIONS,
    **legacy.TYPES,
    **shape_inplace.FUNCTIONS,
}

install(Tensor, TOP_LEVEL)
seal(Tensor)
