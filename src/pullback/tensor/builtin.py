"""Public functions as built-in functions, which is what most of torch's are.

A built-in function is no descriptor: with ``class M: act = torch.tanh``, ``M().act(x)`` calls ``tanh(x)``,
where a Python function would be given the instance too.

What this module must do:

- make those functions built-in that are so in torch, under torch's names, and leave the others as they are;
- cost a call next to nothing: CPython's own `PyObject_Vectorcall` is the built-in's code and the Python
  function its `__self__` (6 ns of the 1,100 of a small `tanh`; an object with `__call__` takes 30);
- have them pickled by name.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ..torch_names import public_name

Function = Callable[..., Any]

#: Names of torch's top level that are Python functions, by the module that has them.
_PYTHON = {
    "functional": (
        "align_tensors atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors "
        "cartesian_prod cdist chain_matmul einsum lu meshgrid norm split stft tensordot unique "
        "unique_consecutive unravel_index"
    ),
    "": (
        "_assert _check _check_index _check_is_size _check_not_implemented _check_tensor_all _check_type "
        "_check_value _check_with are_deterministic_algorithms_enabled compile compiled_with_cxx11_abi cond "
        "from_dlpack get_default_device get_deterministic_debug_mode get_device_module "
        "get_float32_matmul_precision get_rng_state initial_seed "
        "is_deterministic_algorithms_warn_only_enabled is_storage is_tensor is_warn_always_enabled load "
        "manual_seed pca_lowrank save seed set_default_device set_default_dtype set_default_tensor_type "
        "set_deterministic_debug_mode set_float32_matmul_precision set_printoptions set_rng_state "
        "set_warn_always svd_lowrank typename use_deterministic_algorithms vmap while_loop"
    ),
}
#: The module of each.
HOME = {name: home for home, names in _PYTHON.items() for name in names.split()}
#: Functions of `nn.functional` that are built-in, by the module that they say they are in.
_OF_LAYERS = {
    "torch": (
        "adaptive_avg_pool1d avg_pool1d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc "
        "conv_transpose1d conv_transpose2d conv_transpose3d cosine_similarity hardshrink "
        "native_channel_shuffle pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_ "
        "selu_ threshold_"
    ),
    "torch._C._nn": (
        "avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot "
        "scaled_dot_product_attention softplus softshrink"
    ),
}
_HOME_OF_LAYERS = {name: home for home, names in _OF_LAYERS.items() for name in names.split()}
#: Functions of `sparse` and `nested` that are built-in, with the names they say they have.
_OF_LAYOUTS = {
    ("sparse", name): label
    for name, label in {
        "addmm": "_sparse_addmm", "log_softmax": "_sparse_log_softmax",
        "mm": "_sparse_mm", "sampled_addmm": "sparse_sampled_addmm", "softmax": "_sparse_softmax",
        "spdiags": "_spdiags", "spsolve": "_spsolve",
    }.items()
} | {("nested", "to_padded_tensor"): "nested_to_padded_tensor"}  # fmt: skip
_RENAMED = {("nn.functional", "logsigmoid"): ("torch._C._nn", "log_sigmoid"),
            ("", "to_dlpack"): ("torch._C", "_to_dlpack"),
            ("", "_segment_reduce"): ("torch", "segment_reduce")}  # fmt: skip


def described(name: str, place: str) -> tuple[str, str] | None:
    """Return the module and name a built-in function of torch's says it has; None for others."""
    if place in ("linalg", "fft", "special"):
        return f"torch._C._{place}", f"{place}_{name}"
    if (place, name) in _RENAMED:
        return _RENAMED[place, name]
    if place == "nn.functional":
        home = _HOME_OF_LAYERS.get(name)
        return None if home is None else (home, name)
    if place:
        label = _OF_LAYOUTS.get((place, name))
        return None if label is None else (f"torch._C._{place}", label)
    return None if name in HOME else ("torch", name)


class _MethodDef(ctypes.Structure):
    """CPython's description of a built-in function."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )  # fmt: skip


_TAKES_NAMES = 0x0080 | 0x0002  # METH_FASTCALL | METH_KEYWORDS
_CALL = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object)(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)
#: What the built-in functions point to, which lives as long as they: always.
_described: list[_MethodDef] = []


#: The Python functions behind built-in ones, by the names under which pickle finds them.
BEHIND: dict[str, FunctionType] = {}
#: The built-in functions, by the module and the name that they say they have.
PUBLISHED: dict[tuple[str, str], BuiltinFunctionType] = {}


def published(function: Any, name: str, place: str = "") -> Any:
    """Return what users see of a function: a built-in one where it is one in torch, else itself."""
    if type(function) is not FunctionType:
        return function
    if (told := described(name, place)) is None:
        if not place and HOME[name]:
            function.__module__ = f"pullback.{HOME[name]}"
        elif (function.__module__ or "").startswith(f"pullback.{place}."):
            function.__module__ = f"pullback.{place}"
        return function
    return function.__dict__.get(told[1]) or _built_in(function, *told)


def publish(namespace: dict[str, Any], place: str) -> None:
    """Replace the functions of a module's namespace by what users see of them."""
    homes = (f"pullback.{place}.", "pullback.tensor.", "pullback._behind.")
    for name, held in list(namespace.items()):
        if type(held) is FunctionType and f"{public_name(held.__module__)}.".startswith(homes):
            namespace[name] = published(held, name, place)


def _built_in(function: FunctionType, module: str, label: str) -> BuiltinFunctionType:
    doc = function.__doc__
    told = _MethodDef(label.encode(), _CALL, _TAKES_NAMES, doc.encode() if doc else None)
    _described.append(told)
    made: BuiltinFunctionType = _new(ctypes.addressof(told), function, module)
    # A pickled built-in function is an attribute of its `__self__`, which is found by its own name.
    function.__dict__[label] = made
    PUBLISHED.setdefault((module, label), made)
    function.__dict__.setdefault("published", made)
    name = label if label not in BEHIND else f"{module.rpartition('.')[2]}_{label}"
    function.__module__, function.__qualname__ = "pullback._behind", name
    BEHIND.setdefault(name, function)
    return made


def shown(function: Any) -> Any:
    """Return the public function for the Python function behind it."""
    return getattr(function, "published", function)


def behind(function: Any) -> Any:
    """Return the Python function behind a public one; anything else as it is."""
    if type(function) is BuiltinFunctionType:
        own = function.__self__
        if type(own) is FunctionType and own.__dict__.get(function.__name__) is function:
            return own
    return function
