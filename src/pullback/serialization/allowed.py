"""List what a checkpoint may name when only weights are to be loaded."""

import codecs
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from ..array import dtypes
from ..core.device import device
from ..core.size import Size
from ..nn.parameter import Parameter
from ..tensor.constants import SPARSE, strided
from ..tensor.tensor import Tensor
from ..torch_names import _utils
from .archive import Archive, begins_archive, opened
from .names import storage_kind, torch_name

#: By full name, what the user allowed.
_USER: dict[str, Any] = {}


def encode(text: str, encoding: str = "utf-8") -> bytes:
    """Return bytes as protocol 2 writes them: text in Latin-1. Other codecs may unpack or import."""
    if type(encoding) is not str or encoding not in ("latin1", "latin-1", "ascii", "utf-8"):
        raise ValueError(f"a checkpoint may hold text in latin1, ascii or utf-8, not in {encoding!r}")
    return codecs.encode(text, encoding)


def bytearray_of(content: Any = b"", encoding: str = "latin1") -> bytearray:
    """Return a bytearray of given bytes; never of a given length, which could be any."""
    if type(content) is str:
        return bytearray(encode(content, encoding))
    if type(content) is not bytes:
        raise TypeError(f"a checkpoint may hold the bytes of a bytearray, not {type(content)}")
    return bytearray(content)


def _get_layout(name: str) -> Any:
    """Return the layout of a name."""
    for known in (strided, *SPARSE):
        if type(name) is str and str(known) == name:
            return known
    raise ValueError(f"pullback does not have the layout {name!r}")


_get_layout.__module__ = "torch.serialization"


_ALLOWED: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.serialization._get_layout": _get_layout,
    "torch.Size": Size,
    "torch.Tensor": Tensor,
    "torch.device": device,
    "_codecs.encode": encode,
    "builtins.bytearray": bytearray_of,
    "builtins.set": set,
    "builtins.complex": complex,
    "torch._tensor._rebuild_from_type_v2": _utils._rebuild_from_type_v2,
    **{f"torch.{dtype.name}": dtype for dtype in dtypes.BY_NUMPY.values()},
    **{
        f"torch._utils.{function.__name__}": function
        for function in (
            _utils._rebuild_parameter, _utils._rebuild_parameter_with_state, _utils._rebuild_tensor,
            _utils._rebuild_tensor_v2, _utils._rebuild_tensor_v3, _utils._rebuild_meta_tensor_no_storage,
            _utils._rebuild_sparse_tensor,
        )
    },
}  # fmt: skip

#: The things above live as long as this module, so their addresses tell them.
_ALLOWED_IDS = frozenset(map(id, _ALLOWED.values()))


def allowed(module: str, name: str) -> Any:
    """Return what a name stands for, or None where it is not allowed."""
    full = f"{module}.{name}"
    return _ALLOWED.get(full) or storage_kind(module, name) or _USER.get(full)


def is_allowed(thing: Any) -> bool:
    """Return whether an object is one that a file may call: told by identity, so that it is not asked."""
    return id(thing) in _ALLOWED_IDS or user_allowed(thing)


def user_allowed(thing: Any) -> bool:
    """Return whether the user allowed this very object."""
    return any(thing is own for own in _USER.values())


def _full_name(item: Any) -> tuple[str, Any]:
    if isinstance(item, tuple):
        if len(item) != 2:
            raise ValueError(
                f"Expected tuple of length 2 (global, str of callable full path), but got {item}"
            )
        return str(item[1]), item[0]
    return ".".join(torch_name(item)), item


def add_safe_globals(safe_globals: Sequence[Callable[..., Any] | tuple[Callable[..., Any], str]]) -> None:
    """Allow further classes and functions, or pairs of one and its full name in the file."""
    _USER.update(map(_full_name, safe_globals))


def clear_safe_globals() -> None:
    """Allow nothing beyond torch's own."""
    _USER.clear()


def get_safe_globals() -> list[Any]:
    """Return what `add_safe_globals` allowed."""
    return [thing if ".".join(torch_name(thing)) == name else (thing, name) for name, thing in _USER.items()]


@contextmanager
def safe_globals(safe_globals: Sequence[Any]) -> Any:
    """Allow further classes and functions inside a with block."""
    before = dict(_USER)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _USER.clear()
        _USER.update(before)


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """Return the full names in a checkpoint that would have to be allowed, found without loading it.

    Raises
    ------
    ValueError
        For what `load` would not read as an archive: what is in another format is not looked at.
    pickle.UnpicklingError
        For a pickle that is damaged, or that computes a name instead of holding it.
    """
    from .named import names_in

    with opened(f) as stream:
        if not begins_archive(stream):
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        with Archive(stream) as archive:
            content = archive.read("data.pkl")
    return sorted(f"{m}.{n}" for m, n in names_in(content) if allowed(m, n) is None)
