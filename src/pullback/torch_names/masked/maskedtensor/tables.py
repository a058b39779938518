"""Say what becomes of data and mask in each op on masked tensors.

Functions of one element keep the mask; functions of two ask for equal masks; what moves elements moves both;
reductions are those of `masked._ops`, with a mask that says where there was any element.
"""

from collections.abc import Callable
from typing import Any

from ....core.warn import warn
from ....tensor.tensor import Tensor
from ....tensor.whole_ops import NAMES
from .. import _ops
from .core import MaskedTensor, Softmax, Where, is_masked_tensor


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Functions of one element, which have in-place variants: compositions, and ops but for what torch refuses.
_UNARY = _words("clamp clip conj_physical logit nan_to_num positive pow round square").union(
    set(NAMES[1]) - _words("isfinite isinf logical_not relu")
)
#: The same of two elements.
_BINARY = _words("add div divide floor_divide fmod remainder sub subtract true_divide").union(
    set(NAMES[2])
    - _words("_prelu_kernel gcd hypot igamma igammac lcm ldexp logical_and logical_or logical_xor")
)
#: What is done to data and mask alike.
_MOVING = _words(
    "select transpose split t slice slice_backward select_backward index expand view _unsafe_view "
    "_reshape_alias cat unsqueeze unfold unfold_backward im2col col2im stack"
)
_REDUCTIONS = ("sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm", "var", "std")


def _mapped(value: Any, part: Callable[[Any], Any]) -> Any:
    if is_masked_tensor(value):
        return part(value)
    return type(value)(_mapped(v, part) for v in value) if isinstance(value, (list, tuple)) else value


def _data(value: Any) -> Any:
    return _mapped(value, lambda v: v._masked_data)


def _mask(value: Any) -> Any:
    return _mapped(value, lambda v: v._masked_mask)


def _unary(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs:
        raise ValueError(
            "MaskedTensor unary ops require that len(kwargs) == 0. If you need support for this, please open "
            "an issue on Github."
        )
    if any(isinstance(a, Tensor) for a in args[1:]):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    return MaskedTensor(func(*_data(args)), args[0]._masked_mask)


def _binary(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    masks = [v._masked_mask for v in args[:2] if is_masked_tensor(v)]
    if len(masks) == 2 and not (masks[0].dim() == masks[1].dim() and bool((masks[0] == masks[1]).all())):
        raise ValueError(
            "Input masks must match. If you need support for this, please open an issue on Github."
        )
    data = func(*_data(args))
    return MaskedTensor(data, masks[0].expand_as(data))


def _moved(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    data, mask = func(*_data(args), **_named(kwargs, _data)), func(*_mask(args), **_named(kwargs, _mask))
    if isinstance(data, (list, tuple)):
        return type(data)(MaskedTensor(d, m) for d, m in zip(data, mask, strict=True))
    return MaskedTensor(data, mask)


def _named(kwargs: dict[str, Any], part: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: part(value) for name, value in kwargs.items()}


def _any_over(mask: Any, dim: Any, keepdim: bool) -> Any:
    for d in sorted([dim] if isinstance(dim, int) else dim, reverse=True):
        mask = mask.any(dim=d, keepdim=keepdim)
    return mask


def _reduction(name: str) -> Callable[..., Any]:
    def reduce(input: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        mask = input._masked_mask
        if name == "all":
            filled = input.get_data().masked_fill(~mask, True)
            result = filled.all() if dim is None else filled.all(dim=dim, keepdim=keepdim)
        elif dim is None:
            result = getattr(_ops, name)(input, mask=mask)
        else:
            result = getattr(_ops, name)(input, dim=dim, keepdim=keepdim, dtype=dtype, mask=mask)
        return MaskedTensor._from_values(result, mask.any() if dim is None else _any_over(mask, dim, keepdim))

    return reduce


def _item(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not bool(args[0]._masked_mask):
        raise ValueError(f"__torch_dispatch__, {func.overloadpacket}: expected a mask tensor")
    return args[0]._masked_data.item()


def _copied(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return MaskedTensor(func(args[0]._masked_data, *args[1:], **kwargs), args[0]._masked_mask)


def _written(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    func(args[0]._masked_data, _data(args[1]))
    return args[0]


def _softmax(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return Softmax.apply(args[0], args[1])


#: Functions that are overridden as a whole, by name.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _reduction(name) for name in _REDUCTIONS},
    "softmax": lambda input, dim, dtype=None, **_: Softmax.apply(input, dim),
    "where": lambda condition, x, y: Where.apply(condition, x, y),
    "contiguous": lambda input, **_: input,
    "to_dense": lambda input, **_: input,
}

_COMPUTED: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(_UNARY, _unary), **dict.fromkeys(_BINARY, _binary), **dict.fromkeys(_MOVING, _moved),
    **dict.fromkeys(("clone", "detach", "_to_copy", "ones_like", "new_empty_strided"), _copied),
    "_local_scalar_dense": _item, "copy_": _written, "_softmax": _softmax,
    **{name: lambda func, args, kwargs, name=name: FUNCTIONS[name](*args, **kwargs) for name in _REDUCTIONS},
    "where": lambda func, args, kwargs: Where.apply(_data(args[0]), *args[1:]),
    "is_same_size": lambda func, args, kwargs: _data(args[0]).shape == _data(args[1]).shape,
}  # fmt: skip


def computed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Compute an op; NotImplemented, with torch's warning, where there is no rule for it."""
    name = getattr(func, "overloadpacket", func).__name__.removesuffix(".default")  # of an op of ours
    if (own := _COMPUTED.get(name)) is not None:
        return own(func, args, kwargs)
    warn(
        f"{name} is not implemented in __torch_dispatch__ for MaskedTensor.\nIf you would like this operator "
        "to be supported, please file an issue for a feature request at "
        "https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\nIn the "
        "case that the semantics for the operator are not trivial, it would be appreciated to also include a "
        "proposal for the semantics."
    )
    return NotImplemented
