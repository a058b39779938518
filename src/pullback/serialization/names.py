"""Translate names in checkpoints: what torch calls the classes and functions of this package, and back."""

import importlib
from functools import reduce
from typing import Any, NamedTuple

from ..array import dtypes
from ..tensor.builtin import PUBLISHED, behind
from ..torch_names import public_name

#: Where torch has a name that this package has elsewhere.
_ELSEWHERE = {
    ("torch._tensor", "_rebuild_from_type_v2"): ("torch._utils", "_rebuild_from_type_v2"),
    ("torch.tensor", "_rebuild_from_type_v2"): ("torch._utils", "_rebuild_from_type_v2"),
    ("torch._tensor", "Tensor"): ("torch", "Tensor"),
}
_THERE = {
    ("torch._utils", "_rebuild_from_type_v2"): ("torch._tensor", "_rebuild_from_type_v2"),
    ("torch.core.hooks", "RemovableHandle"): ("torch.utils.hooks", "RemovableHandle"),
}

#: Dtypes that have no storage class of their own: their tensors are in an untyped storage.
UNTYPED = frozenset({dtypes.complex32, *dtypes.STORAGE_ONLY, *dtypes.FLOAT8})


class StorageKind(NamedTuple):
    """A storage class as a file names it; `dtype` None stands for bytes without a dtype."""

    name: str
    dtype: Any

    def __call__(self, *args: Any) -> Any:
        """Refuse to make a storage: a file refers to its storages by number."""
        raise TypeError(f"a checkpoint refers to a {self.name}, it does not make one")


#: By name. One object each: a pickle names what it has named before by number.
_KINDS = {
    "UntypedStorage": StorageKind("UntypedStorage", None),
    **{
        name: StorageKind(name, dtype)
        for dtype in dtypes.BY_NUMPY.values()
        if (name := f"{dtype.scalar_type}Storage")
    },
}


def storage_kind(module: str, name: str) -> StorageKind | None:
    """Return the storage class of a name, or None."""
    return _KINDS.get(name) if module in ("torch", "torch.storage") else None


def torch_name(thing: Any) -> tuple[str, str]:
    """Return module and name under which torch's files have a class or function."""
    module = getattr(thing, "__module__", None) or "__main__"
    if behind(thing) is not thing:
        return module, thing.__name__
    name = getattr(thing, "__qualname__", None) or thing.__name__
    if module == "pullback" or module.startswith("pullback."):
        module = "torch" + public_name(module).removeprefix("pullback")
        if module.startswith("torch.nn.functional."):
            module = "torch.nn.functional"
    return _THERE.get((module, name), (module, name))


def is_torch(module: str) -> bool:
    """Return whether a module's name means torch's."""
    return module == "torch" or module.startswith("torch.")


def own(module: str, name: str) -> Any:
    """Return what this package has under torch's module and name; AttributeError where it has nothing."""
    module, name = _ELSEWHERE.get((module, name), (module, name))
    if module.startswith("torch._C._"):
        place = module.removeprefix("torch._C._")
        importlib.import_module(f"pullback.{'nn.functional' if place == 'nn' else place}")
        if (module, name) in PUBLISHED:
            return PUBLISHED[module, name]
    if (kind := storage_kind(module, name)) is not None:
        return kind
    home = "pullback" + module.removeprefix("torch")
    try:
        found: Any = importlib.import_module(home)
    except ModuleNotFoundError as error:
        raise AttributeError(f"pullback does not have {module}, which the file needs for {name}") from error
    return reduce(getattr, name.split("."), found)
