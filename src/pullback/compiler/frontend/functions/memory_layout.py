"""Questions about how a tensor lies in memory that the trace refuses, as a program does not compare it.

A program compares the strides of a tensor only where it is not in C order: a dimension of one element may
have any stride then. It does not compare where in its memory a tensor begins, nor whether it is conjugated.
"""

from typing import Any, NoReturn

from ....core.size import Size
from ....core.visible import visible_layout
from ....ops.strided import stays_within
from ....tensor import rearrange
from ....tensor.builtin import behind
from ....tensor.namespace import TOP_LEVEL
from ....tensor.tensor import Tensor
from ..state.deferred import Deferred
from ..state.session import Session
from . import native_functions
from .rules import rule


@rule(Tensor.stride, Tensor.dim_order)
def _strides(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    found = native_functions.call_native(session, f, args, kwargs)
    shape = args[0].shape if args and session.cells.is_traced(args[0]) else ()
    if all(n > 1 for n in shape):
        return found
    if f is not Tensor.stride or any(n == 0 for n in shape):
        raise session.refusal(_UNKNOWN)
    if type(found) is tuple:
        return tuple(_AnyStride(session, int) if n == 1 else at for n, at in zip(shape, found, strict=True))
    (dim,) = (*args[1:], *kwargs.values())
    return _AnyStride(session, int) if shape[dim] == 1 else found


_UNKNOWN = "it asks for the stride of a dimension that has only one element"


class _AnyStride(Deferred):
    """The stride of a dimension of one element: it may be any, and where it decides something is refused."""

    __slots__ = ()

    def evaluate(self, tensor: Any = None) -> NoReturn:
        """Refuse."""
        raise self.session.refusal(_UNKNOWN)

    parts = known = present = evaluate


def _of_size_one(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return arguments with 1 for the strides that may be any where the result has one element, too."""
    if len(args) < 3 or not all(type(part) in (tuple, list, Size) for part in args[1:3]):
        return args
    ones = [type(at) is _AnyStride and n == 1 for n, at in zip(args[1], args[2])]
    strides = tuple(1 if one else at for one, at in zip(ones, args[2])) if any(ones) else args[2]
    return (*args[:2], strides, *args[3:])


_COPY = behind(TOP_LEVEL["as_strided_copy"])
_SCATTERS = (Tensor.as_strided_scatter, behind(TOP_LEVEL["as_strided_scatter"]))


@rule(
    Tensor.as_strided, Tensor.as_strided_, behind(TOP_LEVEL["as_strided"]), behind(TOP_LEVEL["as_strided_"]),
    _COPY, *_SCATTERS,
)
def _as_strided(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if f not in _SCATTERS:
        args = _of_size_one(args)
    place = 4 if f in _SCATTERS else 3
    if kwargs.get("storage_offset", args[place] if len(args) > place else None) is not None:
        raise session.refusal(f"it calls {f.__name__} with a place in memory")
    traced = f not in _SCATTERS and args and session.cells.is_traced(args[0])
    held = visible_layout(args[0]) if traced else None
    shown = native_functions.call_native(session, rearrange.as_strided if f is _COPY else f, args, kwargs)
    if held is not None and not stays_within(shown, held):
        raise session.refusal(f"it calls {f.__name__} for elements that the tensor does not hold")
    return native_functions.call_native(session, f, args, kwargs) if f is _COPY else shown


@rule(Tensor.is_conj, Tensor.resolve_conj, Tensor.is_neg, Tensor.resolve_neg, Tensor.is_set_to)
def _is_conjugated(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if f is Tensor.is_set_to or (args and args[0].is_complex()):
        raise session.refusal(f"it calls {f.__name__}")
    return native_functions.call_native(session, f, args, kwargs)
