"""torch.utils.weak: dictionaries that hold their keys weakly and tell them apart by identity.

Tensors compare element by element, so that an ordinary weak dictionary could not find them.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import ref

from ..core.value import TensorBase

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary", "ref"]


#: References and values (`dict` is a parameter's name below).
Held = dict[Any, Any]


class WeakIdRef(weakref.ref):
    """A weak reference that is equal to another of the same object, by identity."""

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        self._id = id(key)

    def __call__(self) -> Any:
        """Return the object; None where it is gone."""
        return super().__call__()

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WeakIdRef):
            return False
        a, b = self(), other()
        return a is b if a is not None and b is not None else self is other

    def __ne__(self, other: object) -> bool:
        return not self == other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary from objects, held weakly and compared by identity, to values.

    Parameters
    ----------
    dict : mapping, optional
        What it holds at first.
    ref_type : type
        The kind of reference.
    """

    def __init__(self, dict: Any = None, ref_type: type = WeakIdRef) -> None:
        self.data: Held = {}
        self.ref_type = ref_type
        holder = weakref.ref(self)

        def remove(key: Any) -> None:
            if (held := holder()) is not None:
                held.data.pop(key, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            reference = self.ref_type(key)
        except TypeError:
            return False
        return reference in self.data

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            if (key := reference()) is not None:
                yield key

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def keyrefs(self) -> list[Any]:
        """Return the references to the keys."""
        return list(self.data)


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor.

    Parameters
    ----------
    tensor : Tensor
    """

    __slots__ = ("ref",)

    def __init__(self, tensor: TensorBase) -> None:
        if not isinstance(tensor, TensorBase):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Any:
        """Return the tensor; None where it is gone."""
        return self.ref()
