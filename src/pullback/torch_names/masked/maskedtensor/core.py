"""Define the class of masked tensors.

What this module must do:

- hold data and a mask, and be a tensor without memory of its own whose ops are computed on both
  (`tables.py`);
- give data with its history and make masked tensors of data with theirs, so that gradients go through;
- print as torch does, ``--`` where there is no element.
"""

from typing import Any

from ....array import dtypes
from ....autograd.function import Function
from ....core.warn import warn
from ....tensor.constants import strided
from ....tensor.interception import OVERRIDING
from ....tensor.masks import where
from ....tensor.overriding import _torch_function
from ....tensor.tensor import Tensor
from ....tensor.wrappers import _make_wrapper_subclass

_KINDS = frozenset(
    getattr(dtypes, name)
    for name in ("float16", "float32", "float64", "bool", "int8", "int16", "int32", "int64")
)


def is_masked_tensor(obj: Any, /) -> bool:
    """Return whether an object is a masked tensor."""
    return isinstance(obj, MaskedTensor)


class MaskedTensor(Tensor):
    """A tensor in which a mask says which elements there are.

    Parameters
    ----------
    data : Tensor
    mask : Tensor of bool
        Of the same shape; True where there is an element.
    requires_grad : bool
    """

    _masked_data: Any
    _masked_mask: Any

    @staticmethod
    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        if is_masked_tensor(data) or not isinstance(data, Tensor):
            raise TypeError("data must be a Tensor")
        if is_masked_tensor(mask) or not isinstance(mask, Tensor):
            raise TypeError("mask must be a Tensor")
        warn(
            "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. "
            "Please open a Github issue for features requests and see our documentation on the torch.masked "
            "module for further information about the project."
        )
        if data.requires_grad:
            warn(
                "It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid "
                "this, you can use data.detach().clone()"
            )
        OVERRIDING.add(cls)
        return _make_wrapper_subclass(
            cls, data.size(), device=data.device, dtype=data.dtype, requires_grad=requires_grad
        )

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        if data.layout != mask.layout:
            raise TypeError("data and mask must have the same layout.")
        self._set_data_mask(data.clone(), mask.clone())

    def _set_data_mask(self, data: Any, mask: Any) -> None:
        if type(data) is not type(mask):
            raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
        if data.layout is not strided:
            raise TypeError(f"data layout of {data.layout} is not supported.")
        if mask.dtype is not dtypes.bool:
            raise TypeError("mask must have dtype bool.")
        if data.dtype not in _KINDS:
            raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
        if data.dim() != mask.dim():
            raise ValueError("data.dim() must equal mask.dim()")
        if data.size() != mask.size():
            raise ValueError("data.size() must equal mask.size()")
        self._masked_data, self._masked_mask = data, mask

    @staticmethod
    def _from_values(data: Any, mask: Any) -> Any:
        """Make one whose gradient goes to the data."""
        return _Constructor.apply(data, mask)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        data, mask = self.get_data(), self.get_mask()
        if not self.dim():
            value = data.item()
            text = f"{value:8.4f}" if isinstance(value, float) else str(value)
            return f"MaskedTensor({text if mask.item() else '--'}, {mask.item()})"
        lines = _text(data, mask).split("\n")
        return "MaskedTensor(\n" + "\n".join("  " + line for line in lines) + "\n)"

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        from .tables import FUNCTIONS

        own = FUNCTIONS.get(getattr(func, "__name__", ""))
        if own is not None and func.__module__ != "torch._C._nn":
            return own(*args, **(kwargs or {}))
        return _torch_function(cls, func, types, args, kwargs)

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        from .tables import computed

        return computed(func, args, kwargs or {})

    def __lt__(self, other: Any) -> Any:
        given = other.get_data() if is_masked_tensor(other) else other
        return MaskedTensor(self.get_data() < given, self.get_mask())

    def to_tensor(self, value: Any) -> Any:
        """Return the data with a value where there are no elements."""
        return self.get_data().masked_fill(~self.get_mask(), value)

    def get_data(self) -> Any:
        """Return the data with its history; what stands where there are no elements means nothing."""
        return _GetData.apply(self)

    def get_mask(self) -> Any:
        """Return the mask."""
        return self._masked_mask

    def is_sparse_coo(self) -> bool:
        """Return whether the data is sparse: it never is."""
        return False

    is_sparse_csr = is_sparse_coo  # type: ignore[assignment]  # a method, as in torch


MaskedTensor.__module__ = "torch.masked.maskedtensor.core"
# Programs that load it and make none would have all calls look for overrides.
OVERRIDING.discard(MaskedTensor)


class _Constructor(Function):
    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any) -> Any:
        return MaskedTensor(data.detach(), mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


class _GetData(Function):
    @staticmethod
    def forward(ctx: Any, masked: Any) -> Any:
        ctx.mask = masked._masked_mask
        return masked._masked_data.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad if is_masked_tensor(grad) else MaskedTensor(grad, ctx.mask)


class Combined(Function):
    """The data with a number where there are no elements; its gradient is masked."""

    @staticmethod
    def forward(ctx: Any, masked: Any, mask: Any, fill: Any) -> Any:
        ctx.mask = mask
        return masked._masked_data.masked_fill(~mask, fill)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        data = grad.get_data() if is_masked_tensor(grad) else grad
        return MaskedTensor(data, ctx.mask.broadcast_to(data.shape)), None, None


class Softmax(Function):
    """The softmax of the elements that there are."""

    @staticmethod
    def forward(ctx: Any, masked: Any, dim: int) -> Any:
        mask = masked._masked_mask
        filled = masked._masked_data.masked_fill(~mask, -float("inf"))
        out = filled.softmax(dim).nan_to_num(0.0)
        ctx.mask, ctx.out, ctx.dim = mask, out, dim
        return MaskedTensor(out, mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        data = (grad.get_data() if is_masked_tensor(grad) else grad).masked_fill(~ctx.mask, 0)
        products = data * ctx.out
        return MaskedTensor(products - ctx.out * products.sum(ctx.dim, keepdim=True), ctx.mask), None


class Where(Function):
    """Elements of one or the other; a gradient is masked out where the other one was taken."""

    @staticmethod
    def forward(ctx: Any, condition: Any, x: Any, y: Any) -> Any:
        ctx.condition = condition
        parts = [v if is_masked_tensor(v) else MaskedTensor(v, v == v) for v in (x, y)]
        data = where(condition, *(v._masked_data for v in parts))
        return MaskedTensor(data, where(condition, *(v._masked_mask for v in parts)))

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        data, mask = grad._masked_data, grad._masked_mask
        return None, MaskedTensor(data, mask & ctx.condition), MaskedTensor(data, mask & ~ctx.condition)


def _text(data: Any, mask: Any) -> str:
    if data.dim() > 1:
        parts = [_text(d, m) for d, m in zip(data, mask, strict=True)]
        shifted = ["\n".join("  " + line for line in part.split("\n")) for part in parts]
        return "[\n" + ",\n".join(shifted) + "\n]"
    values, there = data.tolist(), mask.tolist()
    words = [f"{v:8.4f}" if isinstance(v, float) else str(v) for v in values]
    width = max((len(w) if there_is else 8 for w, there_is in zip(words, there, strict=True)), default=0)
    return "[" + ", ".join(w if t else "--".rjust(width) for w, t in zip(words, there, strict=True)) + "]"


__all__ = ["MaskedTensor", "is_masked_tensor"]
