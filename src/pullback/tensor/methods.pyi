"""The methods, operators and properties that declarations attach to `Tensor`.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

import builtins
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from numpy import ndarray
from typing import Any
from typing import Literal
from typing import TypeAlias
from typing import overload
from ..array.dtypes import dtype as _dtype
from ..core.device import device as _device
from ..core.value import TensorBase
from ..torch_names import return_types as return_types
from .constants import layout as _layout
from .constants import memory_format
from .random import Generator
from .tensor import Tensor
from .typed_storage import TypedStorage
from .untyped_storage import UntypedStorage

_Device: TypeAlias = _device | str | builtins.int
_Number: TypeAlias = builtins.int | builtins.float | complex

class Methods(TensorBase):
    """What the declarations attach to `Tensor`."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Tensor: ...
    @property
    def H(self) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __array__(self, dtype: _dtype | None = None, copy: builtins.bool | None = None) -> ndarray: ...
    __array_priority__: builtins.int
    def __array_wrap__(
        self, array: ndarray, context: Any = None, return_scalar: builtins.bool = False,
    ) -> Any: ...
    def __bool__(self) -> builtins.bool: ...
    def __complex__(self) -> complex: ...
    def __contains__(self, element: Any) -> builtins.bool: ...
    @property
    def __cuda_array_interface__(self) -> Any: ...
    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor: ...
    def __delitem__(self, index: Any) -> None: ...
    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[Any, builtins.int]: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]  # elementwise
    def __float__(self) -> builtins.float: ...
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __format__(self, spec: str) -> str: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, index: Any) -> Tensor: ...
    def __gt__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor:
        """Write what :func:`add` gives into `input`, and return it."""
    def __iand__(self, other: Any) -> Tensor:
        """Write what :func:`bitwise_and` gives into `input`, and return it."""
    def __ifloordiv__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Write what :func:`floor_divide` gives into `input`, and return it."""
    def __ilshift__(self, other: Any) -> Tensor:
        """Write what :func:`bitwise_left_shift` gives into `input`, and return it."""
    def __imod__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Write what :func:`remainder` gives into `input`, and return it."""
    def __imul__(self, other: Any) -> Tensor:
        """Write what :func:`mul` gives into `input`, and return it."""
    def __index__(self) -> builtins.int: ...
    def __int__(self) -> builtins.int: ...
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor:
        """Write what :func:`bitwise_or` gives into `input`, and return it."""
    def __ipow__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Write what :func:`pow` gives into `input`, and return it."""
    def __irshift__(self, other: Any) -> Tensor:
        """Write what :func:`bitwise_right_shift` gives into `input`, and return it."""
    def __isub__(self, other: Any) -> Tensor:
        """Write what :func:`sub` gives into `input`, and return it."""
    def __iter__(self) -> Iterator[Tensor]: ...
    def __itruediv__(self, other: Any) -> Tensor:
        """Write what :func:`div` gives into `input`, and return it."""
    def __ixor__(self, other: Any) -> Tensor:
        """Write what :func:`bitwise_xor` gives into `input`, and return it."""
    def __le__(self, other: Any) -> Tensor: ...
    def __len__(self) -> builtins.int: ...
    def __long__(self) -> builtins.int: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]  # elementwise
    def __neg__(self) -> Tensor: ...
    def __nonzero__(self) -> builtins.bool: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __pos__(self) -> Tensor:
        """Return the input itself."""
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdiv__(self, other: Any) -> Tensor: ...
    def __reduce_ex__(self, protocol: Any) -> tuple[Tensor, ...]: ...
    def __reversed__(self) -> Tensor: ...
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...
    def __sub__(self, other: Any) -> Tensor: ...
    @staticmethod
    def __torch_dispatch__(*args: Any, **kwargs: Any) -> Any: ...
    @classmethod
    def __torch_function__(cls, *args: Any, **kwargs: Any) -> Any: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    @property
    def _cdata(self) -> Any: ...
    _dispatched: tuple
    def _indices(self) -> Tensor:
        """Raise torch's error: only a sparse tensor has it."""
    def _is_all_true(self) -> Tensor:
        """Return whether all elements are true, those of the other rows of a vmap included: what checks
        ask.
        """
    def _is_any_true(self) -> Tensor:
        """Return whether any element is true, those of the other rows of a vmap included."""
    @staticmethod
    def _make_subclass(*args: Any, **kwargs: Any) -> Any: ...
    @staticmethod
    def _make_wrapper_subclass(*args: Any, **kwargs: Any) -> Any: ...
    def _nnz(self) -> builtins.int:
        """Raise torch's error: only a sparse tensor has it."""
    _overrides_once_made: builtins.bool
    def _typed_storage(self) -> TypedStorage: ...
    def _values(self) -> Tensor:
        """Raise torch's error: only a sparse tensor has it."""
    def abs(self) -> Tensor:
        """Return the size |x| of each element: a real number, also of a complex one."""
    def abs_(self) -> Tensor:
        """Write what :func:`abs` gives into `input`, and return it."""
    def absolute(self) -> Tensor:
        """Return the size |x| of each element: a real number, also of a complex one."""
    def absolute_(self) -> Tensor:
        """Write what :func:`absolute` gives into `input`, and return it."""
    def acos(self) -> Tensor:
        """Return the angle in [0, π] whose cosine each element is: nan outside [−1, 1]."""
    def acos_(self) -> Tensor:
        """Write what :func:`acos` gives into `input`, and return it."""
    def acosh(self) -> Tensor:
        """Return the value whose hyperbolic cosine each element is: log(x + √(x² − 1)), nan below 1."""
    def acosh_(self) -> Tensor:
        """Write what :func:`acosh` gives into `input`, and return it."""
    def add(self, other: Any, *, alpha: _Number = 1) -> Tensor:
        """Sum ``input + alpha·other``."""
    def add_(self, other: Any, *, alpha: _Number = 1) -> Tensor:
        """Write what :func:`add` gives into `input`, and return it."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Return ``beta * input + alpha * Σ_b batch1[b] @ batch2[b]``."""
    def addbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Write what :func:`addbmm` gives into `input`, and return it."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Sum with a scaled quotient, ``input + value·tensor1/tensor2``."""
    def addcdiv_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Write what :func:`addcdiv` gives into `input`, and return it."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Sum with a scaled product, ``input + value·tensor1·tensor2``."""
    def addcmul_(self, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1) -> Tensor:
        """Write what :func:`addcmul` gives into `input`, and return it."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Return ``beta * input + alpha * mat1 @ mat2``; `input` broadcasts to (n, m)."""
    def addmm_(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Write what :func:`addmm` gives into `input`, and return it."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Return ``beta * input + alpha * mat @ vec``."""
    def addmv_(self, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Write what :func:`addmv` gives into `input`, and return it."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Return ``beta * input + alpha * vec1 ⊗ vec2``."""
    def addr_(self, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Write what :func:`addr` gives into `input`, and return it."""
    def adjoint(self) -> Tensor:
        """Return the matrices of the last two axes transposed and conjugated."""
    def all(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Return whether all elements, over `dim`, are not 0."""
    def allclose(
        self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> builtins.bool:
        """Return whether `isclose`, whose parameters these are, holds everywhere."""
    def amax(self, dim: Any = (), keepdim: builtins.bool = False) -> Tensor:
        """Return the largest element over `dim`; ties share the gradient."""
    def amin(self, dim: Any = (), keepdim: builtins.bool = False) -> Tensor:
        """Return the smallest element over `dim`; ties share the gradient."""
    def aminmax(self, *, dim: Any = None, keepdim: builtins.bool = False) -> return_types.aminmax:
        """Return the smallest and the largest element, over `dim` if given."""
    def angle(self) -> Tensor:
        """Return the angle of each element in the complex plane, in radians: 0 or π of a real one."""
    def any(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Return whether any element, over `dim`, is not 0."""
    def apply_(self, callable: Callable[[Any], Any]) -> Tensor:
        """Replace every element by what a Python function makes of it."""
    def arccos(self) -> Tensor:
        """Return the angle in [0, π] whose cosine each element is: nan outside [−1, 1]."""
    def arccos_(self) -> Tensor:
        """Write what :func:`arccos` gives into `input`, and return it."""
    def arccosh(self) -> Tensor:
        """Return the value whose hyperbolic cosine each element is: log(x + √(x² − 1)), nan below 1."""
    def arccosh_(self) -> Tensor:
        """Write what :func:`arccosh` gives into `input`, and return it."""
    def arcsin(self) -> Tensor:
        """Return the angle in [−π/2, π/2] whose sine each element is: nan outside [−1, 1]."""
    def arcsin_(self) -> Tensor:
        """Write what :func:`arcsin` gives into `input`, and return it."""
    def arcsinh(self) -> Tensor:
        """Return the value whose hyperbolic sine each element is: log(x + √(x² + 1))."""
    def arcsinh_(self) -> Tensor:
        """Write what :func:`arcsinh` gives into `input`, and return it."""
    def arctan(self) -> Tensor:
        """Return the angle in (−π/2, π/2) whose tangent each element is."""
    def arctan2(self, other: Any) -> Tensor:
        """Return the angle in (−π, π] of the point with height `input` and width `other`."""
    def arctan2_(self, other: Any) -> Tensor:
        """Write what :func:`arctan2` gives into `input`, and return it."""
    def arctan_(self) -> Tensor:
        """Write what :func:`arctan` gives into `input`, and return it."""
    def arctanh(self) -> Tensor:
        """Return the value whose hyperbolic tangent each element is: log((1 + x)/(1 − x))/2."""
    def arctanh_(self) -> Tensor:
        """Write what :func:`arctanh` gives into `input`, and return it."""
    def argmax(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Return where the largest element is, along `dim` or of all."""
    def argmin(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Return where the smallest element is, along `dim` or of all."""
    def argsort(
        self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: builtins.bool = False,
    ) -> Tensor:
        """Return indices that sort the input along `dim`."""
    def argwhere(self) -> Tensor:
        """Return where elements are not zero, as ``(n, rank)`` indices."""
    def as_strided(self, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
        """Return the view of the input's storage with the given sizes and strides (in elements)."""
    def as_strided_(self, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
        """Apply :func:`as_strided` in place."""
    def as_strided_scatter(
        self, src: Any, size: Any, stride: Any, storage_offset: builtins.int | None = None,
    ) -> Tensor:
        """Return `input` with the elements that `as_strided` selects replaced by `src`."""
    def as_subclass(self, cls: builtins.type) -> Tensor:
        """Return the same elements and history as an instance of `cls`, a subclass of Tensor."""
    def asin(self) -> Tensor:
        """Return the angle in [−π/2, π/2] whose sine each element is: nan outside [−1, 1]."""
    def asin_(self) -> Tensor:
        """Write what :func:`asin` gives into `input`, and return it."""
    def asinh(self) -> Tensor:
        """Return the value whose hyperbolic sine each element is: log(x + √(x² + 1))."""
    def asinh_(self) -> Tensor:
        """Write what :func:`asinh` gives into `input`, and return it."""
    def atan(self) -> Tensor:
        """Return the angle in (−π/2, π/2) whose tangent each element is."""
    def atan2(self, other: Any) -> Tensor:
        """Return the angle in (−π, π] of the point with height `input` and width `other`."""
    def atan2_(self, other: Any) -> Tensor:
        """Write what :func:`atan2` gives into `input`, and return it."""
    def atan_(self) -> Tensor:
        """Write what :func:`atan` gives into `input`, and return it."""
    def atanh(self) -> Tensor:
        """Return the value whose hyperbolic tangent each element is: log((1 + x)/(1 − x))/2."""
    def atanh_(self) -> Tensor:
        """Write what :func:`atanh` gives into `input`, and return it."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Return ``beta * input + alpha * batch1 @ batch2`` for stacks of matrices."""
    def baddbmm_(self, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Write what :func:`baddbmm` gives into `input`, and return it."""
    @overload
    def bernoulli(self, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def bernoulli(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Return ones with the probabilities in `input` (or `p` for all), else zeros."""
    @overload
    def bernoulli_(self, p: Tensor, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def bernoulli_(self, p: builtins.float = 0.5, *, generator: Generator | None = None) -> Tensor:
        """Fill with ones of probability `p` (a number, or a tensor that broadcasts) and zeros."""
    def bfloat16(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in bfloat16: itself where it is that already."""
    def bincount(self, weights: Any = None, minlength: builtins.int = 0) -> Tensor:
        """Count each of 0, 1, 2, … in a vector of integers, or sum `weights` where it occurs."""
    @overload
    def bitwise_and(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_and(self, other: _Number) -> Tensor:
        """Return the bits that both elements have."""
    @overload
    def bitwise_and_(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_and_(self, other: _Number) -> Tensor:
        """Write what :func:`bitwise_and` gives into `input`, and return it."""
    @overload
    def bitwise_left_shift(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_left_shift(self, other: _Number) -> Tensor:
        """Return ``input · 2^other``: the bits moved up."""
    @overload
    def bitwise_left_shift_(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_left_shift_(self, other: _Number) -> Tensor:
        """Write what :func:`bitwise_left_shift` gives into `input`, and return it."""
    def bitwise_not(self) -> Tensor:
        """Return each element with every bit turned; of bool the other value."""
    def bitwise_not_(self) -> Tensor:
        """Write what :func:`bitwise_not` gives into `input`, and return it."""
    @overload
    def bitwise_or(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_or(self, other: _Number) -> Tensor:
        """Return the bits that at least one element has."""
    @overload
    def bitwise_or_(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_or_(self, other: _Number) -> Tensor:
        """Write what :func:`bitwise_or` gives into `input`, and return it."""
    @overload
    def bitwise_right_shift(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_right_shift(self, other: _Number) -> Tensor:
        """Return ``⌊input / 2^other⌋``: the bits moved down."""
    @overload
    def bitwise_right_shift_(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_right_shift_(self, other: _Number) -> Tensor:
        """Write what :func:`bitwise_right_shift` gives into `input`, and return it."""
    @overload
    def bitwise_xor(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_xor(self, other: _Number) -> Tensor:
        """Return the bits that exactly one element has."""
    @overload
    def bitwise_xor_(self, other: Tensor) -> Tensor: ...
    @overload
    def bitwise_xor_(self, other: _Number) -> Tensor:
        """Write what :func:`bitwise_xor` gives into `input`, and return it."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """Return products of two stacks of matrices: (b, n, k) @ (b, k, m) -> (b, n, m)."""
    def bool(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in bool: itself where it is that already."""
    def broadcast_to(self, *given: Any, size: Any = None) -> Tensor:
        """Return ``input.expand(size)``."""
    def bucketize(
        self, boundaries: Any, *, out_int32: builtins.bool = False, right: builtins.bool = False,
    ) -> Tensor:
        """Return in which interval between sorted `boundaries` each element lies."""
    def byte(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in uint8: itself where it is that already."""
    def cauchy_(
        self, median: builtins.float = 0, sigma: builtins.float = 1, *, generator: Generator | None = None,
    ) -> Tensor:
        """Fill with Cauchy numbers."""
    def ccol_indices(self) -> Tensor:
        """Raise torch's error: only a sparse column compressed tensor has them."""
    def cdouble(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in complex128: itself where it is that already."""
    def ceil(self) -> Tensor:
        """Return the least whole number that is not below each element."""
    def ceil_(self) -> Tensor:
        """Write what :func:`ceil` gives into `input`, and return it."""
    def cfloat(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in complex64: itself where it is that already."""
    def chain_matmul(self, *matrices: Any) -> Tensor:
        """Return the product of a chain of matrices."""
    def chalf(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in complex32: itself where it is that already."""
    def char(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in int8: itself where it is that already."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """Return the Cholesky factor: (…, n, n) -> (…, n, n) (see `torch.linalg.cholesky`)."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """Return ``(L Lᴴ)⁻¹`` from a Cholesky factor L (``(Uᴴ U)⁻¹`` with `upper`): (…, n, n) -> (…, n,
        n).
        """
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False) -> Tensor:
        """Return X with ``L Lᴴ X = input`` (``Uᴴ U X`` with `upper`) for a Cholesky factor."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Return at most `chunks` parts of one size along axis `dim`."""
    @overload
    def clamp(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clamp(self, min: _Number | None = None, max: _Number | None = None) -> Tensor:
        """Cut to limits, ``min(max(input, min), max)``."""
    @overload
    def clamp_(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clamp_(self, min: _Number | None = None, max: _Number | None = None) -> Tensor:
        """Write what :func:`clamp` gives into `input`, and return it."""
    @overload
    def clamp_max(self, max: Tensor) -> Tensor: ...
    @overload
    def clamp_max(self, max: _Number) -> Tensor:
        """Cut from above, ``min(input, max)``."""
    @overload
    def clamp_max_(self, max: Tensor) -> Tensor: ...
    @overload
    def clamp_max_(self, max: _Number) -> Tensor:
        """Write what :func:`clamp_max` gives into `input`, and return it."""
    @overload
    def clamp_min(self, min: Tensor) -> Tensor: ...
    @overload
    def clamp_min(self, min: _Number) -> Tensor:
        """Cut from below, ``max(input, min)``."""
    @overload
    def clamp_min_(self, min: Tensor) -> Tensor: ...
    @overload
    def clamp_min_(self, min: _Number) -> Tensor:
        """Write what :func:`clamp_min` gives into `input`, and return it."""
    @overload
    def clip(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clip(self, min: _Number | None = None, max: _Number | None = None) -> Tensor:
        """Cut to limits, ``min(max(input, min), max)``."""
    @overload
    def clip_(self, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
    @overload
    def clip_(self, min: _Number | None = None, max: _Number | None = None) -> Tensor:
        """Write what :func:`clip` gives into `input`, and return it."""
    def clone(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return a copy with its own storage, in the input's layout or in a given one."""
    def coalesce(self) -> Tensor:
        """Raise torch's error: only a sparse coordinate tensor has them."""
    def col_indices(self) -> Tensor:
        """Raise torch's error: only a sparse row compressed tensor has them."""
    def conj(self) -> Tensor:
        """Return the complex conjugates, a view; a real tensor itself."""
    def conj_physical(self) -> Tensor:
        """Return the complex conjugates as new elements; a real tensor itself."""
    def conj_physical_(self) -> Tensor:
        """Write what :func:`conj_physical` gives into `input`, and return it."""
    def const_data_ptr(self) -> builtins.int:
        """Return the address of the first element; 0 where there is none."""
    def contiguous(self, memory_format: memory_format | None = ...) -> Tensor:
        """Return the tensor itself where it lies in the format, else a copy that does."""
    def copy_(self, src: Any, non_blocking: builtins.bool = False) -> Tensor:
        """Write the elements of `src`, broadcast and cast, into this tensor; return it."""
    @overload
    def copysign(self, other: Tensor) -> Tensor: ...
    @overload
    def copysign(self, other: _Number) -> Tensor:
        """Return the magnitude of `input` with the sign of `other`; the sign bit of zeros and nans counts."""
    @overload
    def copysign_(self, other: Tensor) -> Tensor: ...
    @overload
    def copysign_(self, other: _Number) -> Tensor:
        """Write what :func:`copysign` gives into `input`, and return it."""
    def corrcoef(self) -> Tensor:
        """Return the Pearson correlation of variables in rows, ``Cᵢⱼ / √(Cᵢᵢ·Cⱼⱼ)`` with C of :func:`cov`,
        clipped to [−1, 1].
        """
    def cos(self) -> Tensor:
        """Return the cosine of each element, an angle in radians."""
    def cos_(self) -> Tensor:
        """Write what :func:`cos` gives into `input`, and return it."""
    def cosh(self) -> Tensor:
        """Return the hyperbolic cosine (eˣ + e⁻ˣ)/2 of each element."""
    def cosh_(self) -> Tensor:
        """Write what :func:`cosh` gives into `input`, and return it."""
    def count_nonzero(self, dim: Any = None) -> Tensor:
        """Count the elements, over `dim`, that are not 0."""
    def cov(
        self, *, correction: builtins.int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None,
    ) -> Tensor:
        """Return the covariance matrix of variables in rows, ``Σₖ wₖ·(xᵢₖ − x̄ᵢ)·conj(xⱼₖ − x̄ⱼ) / (Σw −
        correction)``.
        """
    def cpu(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor itself: it is on the CPU."""
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """Return the vector product along `dim`, or along the first axis of length 3."""
    def crow_indices(self) -> Tensor:
        """Raise torch's error: only a sparse row compressed tensor has them."""
    def cuda(
        self, device: _Device | None = None, non_blocking: builtins.bool = False,
        memory_format: memory_format | None = None,
    ) -> Tensor:
        """Raise torch's error: there is no such device."""
    def cummax(self, dim: builtins.int) -> return_types.cummax:
        """Return the largest element so far along `dim` and where it is."""
    def cummin(self, dim: builtins.int) -> return_types.cummin:
        """Return the smallest element so far along `dim` and where it is."""
    def cumprod(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """Return the running product along `dim`."""
    def cumprod_(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """Write what :func:`cumprod` gives into `input`, and return it."""
    def cumsum(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """Return the running sum along `dim`."""
    def cumsum_(self, dim: builtins.int, *, dtype: _dtype | None = None) -> Tensor:
        """Write what :func:`cumsum` gives into `input`, and return it."""
    def data_ptr(self) -> builtins.int:
        """Return the address of the first element; 0 where there is none."""
    def deg2rad(self) -> Tensor:
        """Return each element, an angle in degrees, in radians: x·π/180."""
    def deg2rad_(self) -> Tensor:
        """Write what :func:`deg2rad` gives into `input`, and return it."""
    def dense_dim(self) -> builtins.int:
        """Return the number of dimensions."""
    def det(self) -> Tensor:
        """Return the determinant: (…, n, n) -> (…)."""
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """Return a vector as the diagonal of a matrix, or the diagonal of a matrix."""
    def diag_embed(
        self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1,
    ) -> Tensor:
        """Return the last axis on a diagonal of two new axes."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """Return all elements on the diagonal of a matrix."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """Return the diagonal of axes `dim1` and `dim2`, as a last axis."""
    def diagonal_scatter(
        self, src: Any, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1,
    ) -> Tensor:
        """Return `input` with a diagonal replaced by `src`."""
    def diff(
        self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor:
        """Return differences of neighbours along `dim`, `n` times over."""
    def digamma(self) -> Tensor:
        """Return the logarithmic derivative of the gamma function, Γ′(x)/Γ(x), of each element."""
    def digamma_(self) -> Tensor:
        """Write what :func:`digamma` gives into `input`, and return it."""
    def dim_order(self, *, ambiguity_check: Any = False) -> tuple[builtins.int, ...]:
        """Return the dimensions from outermost to innermost in memory."""
    def dist(self, other: Any, p: Any = 2) -> Tensor:
        """Return the norm of order `p` of ``input − other``."""
    def div(self, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
        """Return the quotient ``input/other``."""
    def div_(self, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
        """Write what :func:`div` gives into `input`, and return it."""
    def divide(self, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
        """Return the quotient ``input/other``."""
    def divide_(self, other: Any, *, rounding_mode: str | None = ...) -> Tensor:
        """Write what :func:`divide` gives into `input`, and return it."""
    def dot(self, tensor: Any) -> Tensor:
        """Return Σ inputᵢ·tensorᵢ of two vectors of one length (nothing is conjugated)."""
    def double(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in float64: itself where it is that already."""
    def dsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Return parts along axis 2."""
    def eq(self, other: Any) -> Tensor:
        """Return where ``input = other``: False where one is nan."""
    def eq_(self, other: Any) -> Tensor:
        """Write what :func:`eq` gives into `input`, and return it."""
    def equal(self, other: Any) -> builtins.bool:
        """Return whether two tensors have the same shape and the same elements (nan equals nothing)."""
    def erf(self) -> Tensor:
        """Return the error function 2/√π·∫₀ˣ exp(−t²) dt of each element."""
    def erf_(self) -> Tensor:
        """Write what :func:`erf` gives into `input`, and return it."""
    def erfc(self) -> Tensor:
        """Return the complementary error function 1 − erf(x) of each element."""
    def erfc_(self) -> Tensor:
        """Write what :func:`erfc` gives into `input`, and return it."""
    def erfinv(self) -> Tensor:
        """Return the value whose error function each element is: ±∞ at ±1 and nan beyond."""
    def erfinv_(self) -> Tensor:
        """Write what :func:`erfinv` gives into `input`, and return it."""
    def exp(self) -> Tensor:
        """Return the exponential eˣ of each element."""
    def exp2(self) -> Tensor:
        """Return the power 2ˣ of each element."""
    def exp2_(self) -> Tensor:
        """Write what :func:`exp2` gives into `input`, and return it."""
    def exp_(self) -> Tensor:
        """Write what :func:`exp` gives into `input`, and return it."""
    def expand(self, *size: Any, implicit: builtins.bool = False, **keyword: Any) -> Tensor:
        """Return axes of size 1 repeated without a copy, and new leading axes; -1 keeps a size."""
    def expand_as(self, other: Any) -> Tensor:
        """Return ``input.expand(other.size())``."""
    def expm1(self) -> Tensor:
        """Return eˣ − 1 of each element, exact near 0."""
    def expm1_(self) -> Tensor:
        """Write what :func:`expm1` gives into `input`, and return it."""
    def exponential_(self, lambd: builtins.float = 1, *, generator: Generator | None = None) -> Tensor:
        """Fill with exponentially distributed numbers of rate `lambd`."""
    def fill_(self, value: Any) -> Tensor:
        """Write one value into every element; return the tensor."""
    def fill_diagonal_(self, fill_value: _Number, wrap: builtins.bool = False) -> Tensor:
        """Fill the main diagonal in place and return the tensor."""
    def fix(self) -> Tensor:
        """Return each element without its fraction: the whole number next to it towards 0."""
    def fix_(self) -> Tensor:
        """Write what :func:`fix` gives into `input`, and return it."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Return the axes `start_dim` to `end_dim` as one."""
    def flip(self, *dims: Any, **keyword: Any) -> Tensor:
        """Return the axes `dims` in reverse."""
    def fliplr(self) -> Tensor:
        """Return the axis 1 in reverse."""
    def flipud(self) -> Tensor:
        """Return axis 0 in reverse."""
    def float(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in float32: itself where it is that already."""
    @overload
    def float_power(self, exponent: Tensor) -> Tensor: ...
    @overload
    def float_power(self, exponent: _Number) -> Tensor:
        """Return the power in double precision (complex double for a complex operand)."""
    def float_power_(self, exponent: Any) -> Tensor:
        """Apply :func:`float_power` in place; the input has the result's dtype already."""
    def floor(self) -> Tensor:
        """Return the greatest whole number that is not above each element."""
    def floor_(self) -> Tensor:
        """Write what :func:`floor` gives into `input`, and return it."""
    @overload
    def floor_divide(self, other: Tensor) -> Tensor: ...
    @overload
    def floor_divide(self, other: _Number) -> Tensor:
        """Return the quotient downwards, ⌊input/other⌋."""
    @overload
    def floor_divide_(self, other: Tensor) -> Tensor: ...
    @overload
    def floor_divide_(self, other: _Number) -> Tensor:
        """Write what :func:`floor_divide` gives into `input`, and return it."""
    def fmax(self, other: Any) -> Tensor:
        """Return the larger of both elements, and the other where one is nan."""
    def fmin(self, other: Any) -> Tensor:
        """Return the smaller of both elements, and the other where one is nan."""
    @overload
    def fmod(self, other: Tensor) -> Tensor: ...
    @overload
    def fmod(self, other: _Number) -> Tensor:
        """Return the remainder ``input − other·trunc(input/other)``, of the sign of `input`."""
    @overload
    def fmod_(self, other: Tensor) -> Tensor: ...
    @overload
    def fmod_(self, other: _Number) -> Tensor:
        """Write what :func:`fmod` gives into `input`, and return it."""
    def frac(self) -> Tensor:
        """Return the fraction x − trunc(x) of each element, of its sign."""
    def frac_(self) -> Tensor:
        """Write what :func:`frac` gives into `input`, and return it."""
    def frexp(self) -> return_types.frexp:
        """Return the mantissa and exponent: ``input = mantissa · 2^exponent`` with |mantissa| in [½, 1)."""
    def gather(self, dim: builtins.int, index: Any, *, sparse_grad: builtins.bool = False) -> Tensor:
        """Return ``y[i, j] = input[index[i, j], j]`` for dim 0, and alike for others; y has the shape of
        `index`.
        """
    def gcd(self, other: Tensor) -> Tensor:
        """Return the greatest common divisor of both elements: 0 of 0 and 0."""
    def gcd_(self, other: Tensor) -> Tensor:
        """Write what :func:`gcd` gives into `input`, and return it."""
    def ge(self, other: Any) -> Tensor:
        """Return where ``input ≥ other``: False where one is nan."""
    def ge_(self, other: Any) -> Tensor:
        """Write what :func:`ge` gives into `input`, and return it."""
    def geometric_(self, p: builtins.float, *, generator: Generator | None = None) -> Tensor:
        """Fill with the numbers of trials up to the first success, of probability `p`."""
    def geqrf(self) -> return_types.geqrf:
        """Return QR as LAPACK's geqrf leaves it."""
    def ger(self, vec2: Tensor) -> Tensor:
        """Return the matrix inputᵢ·vec2ⱼ of two vectors."""
    def get_device(self) -> builtins.int:
        """Return -1: the tensor is on the CPU."""
    def greater(self, other: Any) -> Tensor:
        """Return where ``input > other``: False where one is nan."""
    def greater_(self, other: Any) -> Tensor:
        """Write what :func:`greater` gives into `input`, and return it."""
    def greater_equal(self, other: Any) -> Tensor:
        """Return where ``input ≥ other``: False where one is nan."""
    def greater_equal_(self, other: Any) -> Tensor:
        """Write what :func:`greater_equal` gives into `input`, and return it."""
    def gt(self, other: Any) -> Tensor:
        """Return where ``input > other``: False where one is nan."""
    def gt_(self, other: Any) -> Tensor:
        """Write what :func:`gt` gives into `input`, and return it."""
    def half(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in float16: itself where it is that already."""
    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """Return input where |input| > `lambd`, else 0."""
    def hash_tensor(
        self, dim: builtins.int | Sequence[builtins.int] = (), *, keepdim: builtins.bool = False,
        mode: builtins.int = 0,
    ) -> Tensor:
        """Return the exclusive or, over `dim`, of the bits of the elements, as uint64."""
    def heaviside(self, values: Tensor) -> Tensor:
        """Step function: 0 below zero, `values` at zero, 1 above."""
    def heaviside_(self, values: Tensor) -> Tensor:
        """Write what :func:`heaviside` gives into `input`, and return it."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """Count the elements in each of `bins` equal parts of [min, max] (if equal, of the input's range)."""
    @overload
    def histogram(
        self, bins: Tensor, *, weight: Tensor | None = None, density: builtins.bool = False,
    ) -> return_types.histogram: ...
    @overload
    def histogram(
        self, bins: builtins.int = 100, *, range: Sequence[builtins.float] | None = None,
        weight: Tensor | None = None, density: builtins.bool = False,
    ) -> return_types.histogram:
        """Count the elements in each of several intervals."""
    def hsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Return parts along axis 1 (axis 0 of a vector)."""
    def hypot(self, other: Tensor) -> Tensor:
        """Return √(input² + other²), without overflow on the way."""
    def hypot_(self, other: Tensor) -> Tensor:
        """Write what :func:`hypot` gives into `input`, and return it."""
    def i0(self) -> Tensor:
        """Return the modified Bessel function of the first kind and order 0, I₀(x), of each element."""
    def i0_(self) -> Tensor:
        """Write what :func:`i0` gives into `input`, and return it."""
    def igamma(self, other: Tensor) -> Tensor:
        """Return the lower incomplete gamma function over Γ, P(a, x) = 1/Γ(a)·∫₀ˣ tᵃ⁻¹e⁻ᵗ dt, x being
        `other` (DLMF 8.2.4).
        """
    def igamma_(self, other: Tensor) -> Tensor:
        """Write what :func:`igamma` gives into `input`, and return it."""
    def igammac(self, other: Tensor) -> Tensor:
        """Return the upper incomplete gamma function over Γ, Q(a, x) = 1 − P(a, x), x being `other` (DLMF
        8.2.4).
        """
    def igammac_(self, other: Tensor) -> Tensor:
        """Write what :func:`igammac` gives into `input`, and return it."""
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, value: Tensor) -> None: ...
    def index_add(self, dim: builtins.int, index: Any, source: Any, *, alpha: _Number = 1) -> Tensor:
        """Return `input` with ``alpha · source`` added to the slices of axis `dim` that `index` names."""
    def index_add_(self, dim: builtins.int, index: Any, source: Any, *, alpha: _Number = 1) -> Tensor:
        """Write what :func:`index_add` gives into `input`, and return it."""
    def index_copy(self, dim: builtins.int, index: Any, source: Any) -> Tensor:
        """Return `input` with the slices of axis `dim` that `index` names replaced by those of `source`."""
    def index_copy_(self, dim: builtins.int, index: Any, source: Any) -> Tensor:
        """Write what :func:`index_copy` gives into `input`, and return it."""
    def index_fill(self, dim: builtins.int, index: Any, value: Any) -> Tensor:
        """Return `input` with one value in the slices of axis `dim` that `index` names."""
    def index_fill_(self, dim: builtins.int, index: Any, value: Any) -> Tensor:
        """Write what :func:`index_fill` gives into `input`, and return it."""
    def index_put(self, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
        """Return `input` with the elements at `indices` replaced by `values`, or with `values` added
        there.
        """
    def index_put_(self, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
        """Apply :func:`index_put` in place."""
    def index_reduce(
        self, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True,
    ) -> Tensor:
        """Return `input` with slices of `source` reduced by `index`: "prod", "mean", "amax" or "amin"."""
    def index_reduce_(
        self, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True,
    ) -> Tensor:
        """Write what :func:`index_reduce` gives into `input`, and return it."""
    def index_select(self, dim: builtins.int, index: Any) -> Tensor:
        """Return slices of axis `dim`, in the order of the vector `index`."""
    def indices(self) -> Tensor:
        """Raise torch's error: only a sparse coordinate tensor has them."""
    def inner(self, other: Any) -> Tensor:
        """Return sums of products over the last axes of both."""
    def int(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in int32: itself where it is that already."""
    def inverse(self) -> Tensor:
        """Return the inverse of square matrices: (…, n, n) -> (…, n, n) (see `torch.linalg.inv`)."""
    def ipu(
        self, device: _Device | None = None, non_blocking: builtins.bool = False,
        memory_format: memory_format | None = None,
    ) -> Tensor:
        """Raise torch's error: there is no such device."""
    def is_coalesced(self) -> builtins.bool:
        """Raise torch's error: only a sparse coordinate tensor has them."""
    def is_complex(self) -> builtins.bool:
        """Return whether the dtype is a complex one."""
    def is_conj(self) -> builtins.bool:
        """Return whether the elements are conjugated when they are read."""
    def is_contiguous(self, *, memory_format: memory_format | None = ...) -> builtins.bool:
        """Return whether the elements lie in a memory format (C order by default) without gaps."""
    @property
    def is_cpu(self) -> builtins.bool: ...
    @property
    def is_cuda(self) -> builtins.bool: ...
    def is_distributed(self) -> builtins.bool:
        """Return False."""
    def is_floating_point(self) -> builtins.bool:
        """Return whether the dtype is a real one."""
    def is_inference(self) -> builtins.bool:
        """Return whether the tensor was made in inference mode."""
    @property
    def is_ipu(self) -> builtins.bool: ...
    @property
    def is_maia(self) -> builtins.bool: ...
    @property
    def is_meta(self) -> builtins.bool: ...
    @property
    def is_mkldnn(self) -> builtins.bool: ...
    @property
    def is_mps(self) -> builtins.bool: ...
    @property
    def is_mtia(self) -> builtins.bool: ...
    def is_neg(self) -> builtins.bool:
        """Return whether the elements are negated when they are read."""
    @property
    def is_nested(self) -> builtins.bool: ...
    def is_nonzero(self) -> builtins.bool:
        """Return whether the one element is not zero."""
    def is_pinned(self, device: _Device | None = None) -> builtins.bool:
        """Return False: only an accelerator has pinned memory."""
    @property
    def is_quantized(self) -> builtins.bool: ...
    def is_same_size(self, other: Tensor) -> builtins.bool:
        """Return whether two tensors have the same shape."""
    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Return whether both tensors are the same part of the same storage in the same shape."""
    def is_shared(self) -> builtins.bool:
        """Return whether the tensor lies in memory that processes share."""
    def is_signed(self) -> builtins.bool:
        """Return whether the dtype has negative numbers."""
    @property
    def is_sparse(self) -> builtins.bool: ...
    @property
    def is_sparse_csr(self) -> builtins.bool: ...
    @property
    def is_vulkan(self) -> builtins.bool: ...
    @property
    def is_xla(self) -> builtins.bool: ...
    @property
    def is_xpu(self) -> builtins.bool: ...
    def isclose(
        self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08,
        equal_nan: builtins.bool = False,
    ) -> Tensor:
        """Return nearness of each element, ``|input − other| ≤ atol + rtol·|other|``."""
    def isfinite(self) -> Tensor:
        """Return where the elements are neither nan nor infinite."""
    def isin(
        self, test_elements: Any, *, assume_unique: builtins.bool = False, invert: builtins.bool = False,
    ) -> Tensor:
        """Return which of `elements` occur among `test_elements`."""
    def isinf(self) -> Tensor:
        """Return where the elements are ∞ or −∞; of a complex one either part."""
    def isnan(self) -> Tensor:
        """Return where the elements are nan; of a complex one either part."""
    def isneginf(self) -> Tensor:
        """Return where the input is −∞."""
    def isposinf(self) -> Tensor:
        """Return where the input is +∞."""
    def isreal(self) -> Tensor:
        """Return where the imaginary part is 0: everywhere in a real tensor."""
    def istft(
        self, n_fft: builtins.int, hop_length: builtins.int | None = None,
        win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True,
        normalized: builtins.bool = False, onesided: builtins.bool | None = None,
        length: builtins.int | None = None, return_complex: builtins.bool = False,
    ) -> Tensor:
        """Signal from its short-time Fourier transform: the least-squares one (Griffin and Lim 1984)."""
    def kron(self, other: Any) -> Tensor:
        """Return the Kronecker product."""
    def kthvalue(
        self, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False,
    ) -> return_types.kthvalue:
        """Return the `k`-th smallest element along `dim`, from 1, and where it is."""
    @property
    def layout(self) -> Any: ...
    def lcm(self, other: Tensor) -> Tensor:
        """Return the least common multiple of both elements: 0 where one is 0."""
    def lcm_(self, other: Tensor) -> Tensor:
        """Write what :func:`lcm` gives into `input`, and return it."""
    def ldexp(self, other: Tensor) -> Tensor:
        """Return ``input · 2^other``."""
    def ldexp_(self, other: Tensor) -> Tensor:
        """Write what :func:`ldexp` gives into `input`, and return it."""
    def le(self, other: Any) -> Tensor:
        """Return where ``input ≤ other``: False where one is nan."""
    def le_(self, other: Any) -> Tensor:
        """Write what :func:`le` gives into `input`, and return it."""
    @overload
    def lerp(self, end: Tensor, weight: Tensor) -> Tensor: ...
    @overload
    def lerp(self, end: Tensor, weight: _Number) -> Tensor:
        """Return the mixture ``input + weight·(end − input)``."""
    @overload
    def lerp_(self, end: Tensor, weight: Tensor) -> Tensor: ...
    @overload
    def lerp_(self, end: Tensor, weight: _Number) -> Tensor:
        """Write what :func:`lerp` gives into `input`, and return it."""
    def less(self, other: Any) -> Tensor:
        """Return where ``input < other``: False where one is nan."""
    def less_(self, other: Any) -> Tensor:
        """Write what :func:`less` gives into `input`, and return it."""
    def less_equal(self, other: Any) -> Tensor:
        """Return where ``input ≤ other``: False where one is nan."""
    def less_equal_(self, other: Any) -> Tensor:
        """Write what :func:`less_equal` gives into `input`, and return it."""
    def lgamma(self) -> Tensor:
        """Return the logarithm of the gamma function's size, log |Γ(x)|, of each element."""
    def lgamma_(self) -> Tensor:
        """Write what :func:`lgamma` gives into `input`, and return it."""
    def log(self) -> Tensor:
        """Return the natural logarithm of each element: nan below 0 and −∞ at 0."""
    def log10(self) -> Tensor:
        """Return the logarithm to the base 10 of each element: nan below 0 and −∞ at 0."""
    def log10_(self) -> Tensor:
        """Write what :func:`log10` gives into `input`, and return it."""
    def log1p(self) -> Tensor:
        """Return log(1 + x) of each element, exact near 0."""
    def log1p_(self) -> Tensor:
        """Write what :func:`log1p` gives into `input`, and return it."""
    def log2(self) -> Tensor:
        """Return the logarithm to the base 2 of each element: nan below 0 and −∞ at 0."""
    def log2_(self) -> Tensor:
        """Write what :func:`log2` gives into `input`, and return it."""
    def log_(self) -> Tensor:
        """Write what :func:`log` gives into `input`, and return it."""
    def log_normal_(
        self, mean: builtins.float = 1, std: builtins.float = 2, *, generator: Generator | None = None,
    ) -> Tensor:
        """Fill with exp(n) for normal numbers n."""
    def log_softmax(self, dim: builtins.int, dtype: _dtype | None = None) -> Tensor:
        """Return input − log Σ exp(input) along `dim`; `dtype` casts the input first."""
    def logaddexp(self, other: Tensor) -> Tensor:
        """Return log(eˣ + eʸ), without overflow on the way."""
    def logaddexp2(self, other: Tensor) -> Tensor:
        """Return log₂(2ˣ + 2ʸ), without overflow on the way."""
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """Return log of the running sum of exponentials along `dim`."""
    def logdet(self) -> Tensor:
        """Return the logarithm of the determinant, nan where that is negative: (…, n, n) -> (…)."""
    def logical_and(self, other: Any) -> Tensor:
        """Return where both elements are other than 0."""
    def logical_and_(self, other: Any) -> Tensor:
        """Write what :func:`logical_and` gives into `input`, and return it."""
    def logical_not(self) -> Tensor:
        """Return where the elements are 0."""
    def logical_not_(self) -> Tensor:
        """Write what :func:`logical_not` gives into `input`, and return it."""
    def logical_or(self, other: Any) -> Tensor:
        """Return where at least one element is other than 0."""
    def logical_or_(self, other: Any) -> Tensor:
        """Write what :func:`logical_or` gives into `input`, and return it."""
    def logical_xor(self, other: Any) -> Tensor:
        """Return where exactly one element is other than 0."""
    def logical_xor_(self, other: Any) -> Tensor:
        """Write what :func:`logical_xor` gives into `input`, and return it."""
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """Return log(x / (1 − x))."""
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """Write what :func:`logit` gives into `input`, and return it."""
    def logsumexp(self, dim: Any, keepdim: builtins.bool = False) -> Tensor:
        """Return log Σ exp(input) over `dim`, computed without overflow."""
    def long(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in int64: itself where it is that already."""
    def lt(self, other: Any) -> Tensor:
        """Return where ``input < other``: False where one is nan."""
    def lt_(self, other: Any) -> Tensor:
        """Write what :func:`lt` gives into `input`, and return it."""
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False) -> tuple[Tensor, ...]:
        """Return LU and pivots (see `torch.linalg.lu_factor`), with `get_infos` also places of zero
        pivots.
        """
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """Return X with ``A X = input`` (see `torch.linalg.lu_solve`): (…, n, k) -> (…, n, k)."""
    @property
    def mH(self) -> Any: ...
    @property
    def mT(self) -> Tensor: ...
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor:
        """Replace every element by what a Python function makes of it and of two other tensors'."""
    def map_(self, tensor: Any, callable: Callable[[Any, Any], Any]) -> Tensor:
        """Replace every element by what a Python function makes of it and of the other tensor's."""
    def masked_fill(self, mask: Tensor, value: Any) -> Tensor:
        """Return the input with a value where a mask holds."""
    def masked_fill_(self, mask: Tensor, value: Any) -> Tensor:
        """Write what :func:`masked_fill` gives into `input`, and return it."""
    def masked_scatter(self, mask: Tensor, source: Any) -> Tensor:
        """Return `input` with the elements where `mask` holds replaced by those of `source`, in order."""
    def masked_scatter_(self, mask: Tensor, source: Any) -> Tensor:
        """Write what :func:`masked_scatter` gives into `input`, and return it."""
    def masked_select(self, mask: Tensor) -> Tensor:
        """Return the elements where `mask` holds, as a vector."""
    def matmul(self, other: Any) -> Tensor:
        """Return the matrix product with torch's cases."""
    def matrix_exp(self) -> Tensor:
        """Return the exponential of square matrices (see `torch.linalg.matrix_exp`)."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """Return a multiplied n times by itself."""
    @overload
    def max(self) -> Tensor: ...
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.max: ...
    @overload
    def max(self, other: Tensor) -> Tensor:
        """Return the largest element; with `dim`, values and indices along it; with a second tensor,
        element by element.
        """
    def maximum(self, other: Any) -> Tensor:
        """Return the larger of both elements, and nan where one is nan."""
    def mean(self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Return the mean of all elements, or over `dim`."""
    @overload
    def median(self) -> Tensor: ...
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.median:
        """Return the lower median of all elements, or values and indices along `dim`."""
    @overload
    def min(self) -> Tensor: ...
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.min: ...
    @overload
    def min(self, other: Tensor) -> Tensor:
        """Return the smallest element; with `dim`, values and indices along it; with a second tensor,
        element by element.
        """
    def minimum(self, other: Any) -> Tensor:
        """Return the smaller of both elements, and nan where one is nan."""
    def mm(self, mat2: Tensor) -> Tensor:
        """Return the matrix product: (n, k) @ (k, m) -> (n, m)."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> return_types.mode:
        """Return the most frequent element along `dim` and where it last is."""
    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """Return the axes `source` moved to the places `destination`; the others keep their order."""
    def movedim(self, source: Any, destination: Any) -> Tensor:
        """Return the axes `source` moved to the places `destination`; the others keep their order."""
    def msort(self) -> Tensor:
        """Return the input sorted along its first axis."""
    def mul(self, other: Any) -> Tensor:
        """Return the product ``input · other``."""
    def mul_(self, other: Any) -> Tensor:
        """Write what :func:`mul` gives into `input`, and return it."""
    def multinomial(
        self, num_samples: builtins.int, replacement: builtins.bool = False, *,
        generator: Generator | None = None,
    ) -> Tensor:
        """Return indices of the last axis, drawn with the weights in it."""
    def multiply(self, other: Any) -> Tensor:
        """Return the product ``input · other``."""
    def multiply_(self, other: Any) -> Tensor:
        """Write what :func:`multiply` gives into `input`, and return it."""
    def mv(self, vec: Tensor) -> Tensor:
        """Return the matrix times vector: (n, k) @ (k,) -> (n,)."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """Return the logarithm of the multivariate gamma function, log Γₚ(x) (DLMF 35.3.4)."""
    def mvlgamma_(self, p: builtins.int) -> Tensor:
        """Write what :func:`mvlgamma` gives into `input`, and return it."""
    @property
    def name(self) -> Any: ...
    def nan_to_num(
        self, nan: builtins.float | None = None, posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """Return finite numbers instead of nan and the infinities."""
    def nan_to_num_(
        self, nan: builtins.float | None = None, posinf: builtins.float | None = None,
        neginf: builtins.float | None = None,
    ) -> Tensor:
        """Write what :func:`nan_to_num` gives into `input`, and return it."""
    def nanmean(
        self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the mean of what is not nan."""
    @overload
    def nanmedian(self) -> Tensor: ...
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = ...) -> return_types.nanmedian:
        """Return the lower median of all elements, or values and indices along `dim`."""
    def nanquantile(
        self, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear',
    ) -> Tensor:
        """Return `quantile` of what is not nan."""
    def nansum(
        self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the sum of what is not nan."""
    def narrow(self, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
        """Return the places start … start + length − 1 of axis `dim`."""
    def narrow_copy(self, dim: builtins.int, start: builtins.int, length: builtins.int) -> Tensor:
        """Copy what :func:`narrow` shows: some places of an axis."""
    def ne(self, other: Any) -> Tensor:
        """Return where ``input ≠ other``: True where one is nan."""
    def ne_(self, other: Any) -> Tensor:
        """Write what :func:`ne` gives into `input`, and return it."""
    def neg(self) -> Tensor:
        """Return −x of each element."""
    def neg_(self) -> Tensor:
        """Write what :func:`neg` gives into `input`, and return it."""
    def negative(self) -> Tensor:
        """Return −x of each element."""
    def negative_(self) -> Tensor:
        """Write what :func:`negative` gives into `input`, and return it."""
    def new(self, *args: Any, **kwargs: Any) -> Any:
        """Make a tensor of this tensor's dtype by the legacy forms of arguments."""
    @overload
    def new_empty(
        self, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None,
        device: _Device | None = None, pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool | None = False,
    ) -> Tensor: ...
    @overload
    def new_empty(
        self, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None,
        device: _Device | None = None, pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool | None = False,
    ) -> Tensor:
        """Make a tensor of uninitialised elements with this tensor's dtype."""
    def new_empty_strided(
        self, size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: _dtype | None = None,
        layout: _layout | None = None, device: _Device | None = None,
        pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
    ) -> Tensor:
        """Make an uninitialised tensor with this tensor's dtype and the given strides."""
    def new_full(
        self, size: Sequence[builtins.int], fill_value: _Number, *, dtype: _dtype | None = None,
        layout: _layout | None = None, device: _Device | None = None,
        pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
    ) -> Tensor:
        """Make a tensor with every element `fill_value` with this tensor's dtype."""
    @overload
    def new_ones(
        self, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None,
        device: _Device | None = None, pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool | None = False,
    ) -> Tensor: ...
    @overload
    def new_ones(
        self, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None,
        device: _Device | None = None, pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool | None = False,
    ) -> Tensor:
        """Make a tensor of ones with this tensor's dtype."""
    def new_tensor(
        self, data: Any, *, dtype: _dtype | None = None, device: _Device | None = None,
        requires_grad: builtins.bool = False,
    ) -> Tensor:
        """Make a leaf tensor that holds a copy of the data, with this tensor's dtype."""
    @overload
    def new_zeros(
        self, *size: builtins.int, dtype: _dtype | None = None, layout: _layout | None = None,
        device: _Device | None = None, pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool | None = False,
    ) -> Tensor: ...
    @overload
    def new_zeros(
        self, size: Sequence[builtins.int], *, dtype: _dtype | None = None, layout: _layout | None = None,
        device: _Device | None = None, pin_memory: builtins.bool | None = False,
        requires_grad: builtins.bool | None = False,
    ) -> Tensor:
        """Make a tensor of zeros with this tensor's dtype."""
    def nextafter(self, other: Tensor) -> Tensor:
        """Return the number of the dtype that comes next after `input` towards `other`."""
    def nextafter_(self, other: Tensor) -> Tensor:
        """Write what :func:`nextafter` gives into `input`, and return it."""
    @overload
    def nonzero(self, *, as_tuple: Literal[False] = ...) -> Tensor: ...
    @overload
    def nonzero(self, *, as_tuple: Literal[True]) -> tuple[Tensor, ...]: ...
    @overload
    def nonzero(self, *, as_tuple: builtins.bool = False) -> Any:
        """Return where elements are not zero: ``(n, rank)`` indices, or with `as_tuple` one vector per
        axis.
        """
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """Return `nonzero` cut to `size` rows, or filled up to them with `fill_value`."""
    def norm(
        self, p: Any = 'fro', dim: Any = None, keepdim: builtins.bool = False, dtype: _dtype | None = None,
    ) -> Tensor:
        """Return the vector norm of order `p` over `dim`; ``"fro"`` is Euclidean, ``"nuc"`` the nuclear
        norm.
        """
    def normal_(
        self, mean: builtins.float = 0, std: builtins.float = 1, *, generator: Generator | None = None,
    ) -> Tensor:
        """Fill with normal numbers."""
    def not_equal(self, other: Any) -> Tensor:
        """Return where ``input ≠ other``: True where one is nan."""
    def not_equal_(self, other: Any) -> Tensor:
        """Write what :func:`not_equal` gives into `input`, and return it."""
    def numpy(self, *, force: builtins.bool = False) -> ndarray:
        """Return the elements as a NumPy array that shares memory."""
    def orgqr(self, input2: Tensor) -> Tensor:
        """Return the first columns of a product of reflectors (see `torch.linalg.householder_product`)."""
    def ormqr(
        self, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False,
    ) -> Tensor:
        """Return the product of Q, given by reflectors, with a matrix C: ``Q C`` (``Qᴴ C``), or ``C Q``."""
    def outer(self, vec2: Tensor) -> Tensor:
        """Return the matrix inputᵢ·vec2ⱼ of two vectors."""
    def permute(self, *dims: Any, **keyword: Any) -> Tensor:
        """Return the axes in the order `dims`."""
    def pin_memory(self, device: _Device | None = None) -> Tensor:
        """Raise torch's error: only an accelerator has pinned memory."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """Return the pseudoinverse, where singular values up to rcond·σ₁ count as 0: (…, m, n) -> (…, n,
        m).
        """
    def polygamma(self, n: builtins.int) -> Tensor:
        """Return the derivative of order n of ψ (see `torch.polygamma`)."""
    def polygamma_(self, n: builtins.int) -> Tensor:
        """Write what :func:`polygamma` gives into `input`, and return it."""
    def positive(self) -> Tensor:
        """Return the input itself."""
    @overload
    def pow(self, exponent: Tensor) -> Tensor: ...
    @overload
    def pow(self, exponent: _Number) -> Tensor:
        """Return the power ``input ** exponent``."""
    @overload
    def pow_(self, exponent: Tensor) -> Tensor: ...
    @overload
    def pow_(self, exponent: _Number) -> Tensor:
        """Write what :func:`pow` gives into `input`, and return it."""
    def prelu(self, weight: Tensor) -> Tensor:
        """Return input where positive, else weight·input, a weight for each channel (dim 1) or one for
        all.
        """
    def prod(self, dim: Any = ..., keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Return the product of all elements, or along `dim`."""
    def put(self, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """Return `input` with the elements at flat places replaced by those of `source`, or with these
        added.
        """
    def put_(self, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """Write what :func:`put` gives into `input`, and return it."""
    def qr(self, some: builtins.bool = True) -> return_types.qr:
        """Return ``input = Q R`` (see `torch.linalg.qr`)."""
    def quantile(
        self, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear',
    ) -> Tensor:
        """Return the quantiles `q` of all elements, or along `dim`; the dim of `q` comes first."""
    def rad2deg(self) -> Tensor:
        """Return each element, an angle in radians, in degrees: x·180/π."""
    def rad2deg_(self) -> Tensor:
        """Write what :func:`rad2deg` gives into `input`, and return it."""
    @overload
    def random_(self, *, generator: Generator | None = None) -> Tensor: ...
    @overload
    def random_(
        self, from_: builtins.int, to: builtins.int, *, generator: Generator | None = None,
    ) -> Tensor: ...
    @overload
    def random_(self, to: builtins.int, *, generator: Generator | None = None) -> Tensor:
        """Fill with integers from [from, to), or from all that the dtype holds."""
    def ravel(self) -> Tensor:
        """Return all elements along one axis."""
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, value: Tensor) -> None: ...
    def reciprocal(self) -> Tensor:
        """Return 1/x of each element."""
    def reciprocal_(self) -> Tensor:
        """Write what :func:`reciprocal` gives into `input`, and return it."""
    def relu(self) -> Tensor:
        """Return the larger of 0 and each element; nan stays."""
    def relu_(self) -> Tensor:
        """Write what :func:`relu` gives into `input`, and return it."""
    @overload
    def remainder(self, other: Tensor) -> Tensor: ...
    @overload
    def remainder(self, other: _Number) -> Tensor:
        """Return the remainder ``input − other·⌊input/other⌋``, of the sign of `other`."""
    @overload
    def remainder_(self, other: Tensor) -> Tensor: ...
    @overload
    def remainder_(self, other: _Number) -> Tensor:
        """Write what :func:`remainder` gives into `input`, and return it."""
    def renorm(self, p: _Number, dim: builtins.int, maxnorm: _Number) -> Tensor:
        """Bring each slice of `dim` whose norm is above `maxnorm` down to it: times ``maxnorm/(norm +
        10⁻⁷)``.
        """
    def renorm_(self, p: _Number, dim: builtins.int, maxnorm: _Number) -> Tensor:
        """Write what :func:`renorm` gives into `input`, and return it."""
    def repeat(self, *repeats: Any, **keyword: Any) -> Tensor:
        """Return the whole repeated along each axis; more counts than axes add leading axes."""
    def repeat_interleave(
        self, repeats: Any = None, dim: builtins.int | None = None, *,
        output_size: builtins.int | None = None,
    ) -> Tensor:
        """Return each place of axis `dim` (of all elements as one row) repeated, by one count or one a
        place.
        """
    def reshape(self, *shape: Any, **keyword: Any) -> Tensor:
        """Return the same elements in another shape: a view where strides allow it, else a copy. One size
        may be -1.
        """
    def reshape_as(self, other: Any) -> Tensor:
        """Return ``input.reshape(other.size())``."""
    @overload
    def resize(self, *sizes: builtins.int) -> Tensor: ...
    @overload
    def resize(self, sizes: Sequence[builtins.int]) -> Tensor:
        """Return the tensor in another shape (deprecated: see `reshape`)."""
    @overload
    def resize_(self, *size: builtins.int, memory_format: memory_format | None = None) -> Tensor: ...
    @overload
    def resize_(self, size: Sequence[builtins.int], *, memory_format: memory_format | None = None) -> Tensor:
        """Give the tensor another size: its elements are the storage's from its first one on, in C order."""
    def resize_as(self, tensor: Tensor) -> Tensor:
        """Return the tensor in the shape of another one (deprecated: see `reshape`)."""
    def resize_as_(self, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
        """Give the tensor the size of another one (see `resize_`)."""
    def resize_as_sparse_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise torch's error: only a sparse tensor has it."""
    def resolve_conj(self) -> Tensor:
        """Return the tensor with its conjugates worked out: itself where they are."""
    def resolve_neg(self) -> Tensor:
        """Return the tensor with its signs worked out: itself where they are."""
    def roll(self, shifts: Any, dims: Any = ()) -> Tensor:
        """Return axes shifted in a circle; without `dims` the elements as one row."""
    def rot90(self, k: builtins.int = 1, dims: Sequence[builtins.int] = ...) -> Tensor:
        """Return the plane of two axes turned by k·90°, from the first axis towards the second."""
    @overload
    def round(self) -> Tensor: ...
    @overload
    def round(self, *, decimals: builtins.int) -> Tensor:
        """Return the nearest integer, halves to even; or nearest multiple of 10^−decimals."""
    @overload
    def round_(self) -> Tensor: ...
    @overload
    def round_(self, *, decimals: builtins.int) -> Tensor:
        """Write what :func:`round` gives into `input`, and return it."""
    def row_indices(self) -> Tensor:
        """Raise torch's error: only a sparse column compressed tensor has them."""
    def rsqrt(self) -> Tensor:
        """Return 1/√x of each element: nan below 0 and ∞ at 0."""
    def rsqrt_(self) -> Tensor:
        """Write what :func:`rsqrt` gives into `input`, and return it."""
    def scatter(
        self, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None,
    ) -> Tensor:
        """Return `input` with ``src[i, j]`` (or a number) at ``[index[i, j], j]``, for dim 0, others
        alike.
        """
    def scatter_(
        self, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None,
    ) -> Tensor:
        """Write what :func:`scatter` gives into `input`, and return it."""
    def scatter_add(self, dim: builtins.int, index: Any, src: Any) -> Tensor:
        """Return `input` with ``src[i, j]`` added at ``[index[i, j], j]`` for dim 0, and alike for others."""
    def scatter_add_(self, dim: builtins.int, index: Any, src: Any) -> Tensor:
        """Write what :func:`scatter_add` gives into `input`, and return it."""
    def scatter_reduce(
        self, dim: builtins.int, index: Any, src: Any, reduce: str, *, include_self: builtins.bool = True,
    ) -> Tensor:
        """Return `input` with ``src[i, j]`` reduced into ``[index[i, j], j]`` by sum, prod, mean, amax,
        amin.
        """
    def scatter_reduce_(
        self, dim: builtins.int, index: Any, src: Any, reduce: str, *, include_self: builtins.bool = True,
    ) -> Tensor:
        """Write what :func:`scatter_reduce` gives into `input`, and return it."""
    def searchsorted(
        self, sorted_sequence: Any, *, out_int32: builtins.bool = False, right: builtins.bool = False,
        side: str | None = None, sorter: Any = None,
    ) -> Tensor:
        """Return where values go into the rows of a sorted tensor: before equal elements, or after
        (`right`).
        """
    def select(self, dim: builtins.int, index: builtins.int) -> Tensor:
        """Return the part at `index` of axis `dim`, without that axis."""
    def select_scatter(self, src: Any, dim: builtins.int, index: builtins.int) -> Tensor:
        """Return `input` with the part at `index` of axis `dim` replaced by `src`."""
    @overload
    def set_(self) -> Tensor: ...
    @overload
    def set_(self, source: UntypedStorage | TypedStorage) -> Tensor: ...
    @overload
    def set_(
        self, source: UntypedStorage | TypedStorage, storage_offset: builtins.int,
        size: Sequence[builtins.int], stride: Sequence[builtins.int] | None = None,
    ) -> Tensor: ...
    @overload
    def set_(self, source: Tensor) -> Tensor: ...
    @overload
    def set_(
        self, source: Tensor, storage_offset: builtins.int, size: Sequence[builtins.int],
        stride: Sequence[builtins.int] | None = None,
    ) -> Tensor:
        """Put the tensor onto the storage of `source`, a storage or a tensor; onto an empty one where it
        is left out.
        """
    def sgn(self) -> Tensor:
        """Return the sign of each element; of a complex one its direction x/|x|, and 0 at 0."""
    def sgn_(self) -> Tensor:
        """Write what :func:`sgn` gives into `input`, and return it."""
    def share_memory_(self) -> Tensor:
        """Move the tensor's storage to memory that processes started later share, and return the tensor."""
    def short(self, *, memory_format: memory_format | None = None) -> Tensor:
        """Return the tensor in int16: itself where it is that already."""
    def sigmoid(self) -> Tensor:
        """Return the logistic function 1/(1 + e⁻ˣ) of each element."""
    def sigmoid_(self) -> Tensor:
        """Write what :func:`sigmoid` gives into `input`, and return it."""
    def sign(self) -> Tensor:
        """Return −1, 0 or 1: the sign of each element."""
    def sign_(self) -> Tensor:
        """Write what :func:`sign` gives into `input`, and return it."""
    def signbit(self) -> Tensor:
        """Return where the sign is negative, that of −0 and of nan included."""
    def sin(self) -> Tensor:
        """Return the sine of each element, an angle in radians."""
    def sin_(self) -> Tensor:
        """Write what :func:`sin` gives into `input`, and return it."""
    def sinc(self) -> Tensor:
        """Return sin(πx)/(πx) of each element: 1 at 0."""
    def sinc_(self) -> Tensor:
        """Write what :func:`sinc` gives into `input`, and return it."""
    def sinh(self) -> Tensor:
        """Return the hyperbolic sine (eˣ − e⁻ˣ)/2 of each element."""
    def sinh_(self) -> Tensor:
        """Write what :func:`sinh` gives into `input`, and return it."""
    def slice_scatter(
        self, src: Any, dim: builtins.int = 0, start: builtins.int | None = None,
        end: builtins.int | None = None, step: builtins.int = 1,
    ) -> Tensor:
        """Return `input` with a slice of axis `dim` replaced by `src`."""
    def slogdet(self) -> return_types.slogdet:
        """Return the sign and logarithm of the absolute value of the determinant (see
        `torch.linalg.slogdet`).
        """
    def smm(self, mat: Tensor) -> Tensor:
        """Return the product with a matrix, this one being sparse, as a sparse matrix."""
    def softmax(self, dim: builtins.int, dtype: _dtype | None = None) -> Tensor:
        """Return exp(input) / Σ exp(input) along `dim`; `dtype` casts the input first."""
    def sort(
        self, dim: builtins.int = -1, descending: builtins.bool = False, *,
        stable: builtins.bool | None = None,
    ) -> return_types.sort:
        """Return values in order along `dim`, and the indices where they were; equal values keep their
        order.
        """
    def sparse_dim(self) -> builtins.int:
        """Return 0: the tensor is dense."""
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """Return the elements at the places that `mask`, which is sparse, has entries."""
    def sparse_resize_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise torch's error: only a sparse tensor has it."""
    def sparse_resize_and_clear_(self, *args: Any, **kwargs: Any) -> Tensor:
        """Raise torch's error: only a sparse tensor has it."""
    def split(self, split_size: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Return parts of one size along axis `dim` (the last may be smaller), or parts of the given
        sizes.
        """
    def split_with_sizes(
        self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0,
    ) -> tuple[Tensor, ...]:
        """Return parts of the given sizes along axis `dim`."""
    def sqrt(self) -> Tensor:
        """Return the square root of each element: nan below 0."""
    def sqrt_(self) -> Tensor:
        """Write what :func:`sqrt` gives into `input`, and return it."""
    def square(self) -> Tensor:
        """Return the square ``input²``, of bool in int64."""
    def square_(self) -> Tensor:
        """Write what :func:`square` gives into `input`, and return it."""
    def squeeze(self, dim: Any = ..., *more: Any) -> Tensor:
        """Return it without the axes of size 1, or without those of `dim` whose size is 1."""
    def squeeze_(self, dim: Any = ..., *more: Any) -> Tensor:
        """Apply :func:`squeeze` in place."""
    def sspaddmm(self, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1) -> Tensor:
        """Return ``beta·self + alpha·(mat1 @ mat2)`` as a sparse matrix."""
    def std(
        self, dim: Any = None, unbiased: Any = None, keepdim: builtins.bool = False, *, correction: Any = ...,
    ) -> Tensor:
        """Return the standard deviation √(Σ|x − mean|² / (n − correction)) over `dim`; `unbiased=False`
        means ``correction=0``.
        """
    def stft(
        self, n_fft: builtins.int, hop_length: builtins.int | None = None,
        win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True,
        pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None,
        return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None,
    ) -> Tensor:
        """Return the short-time Fourier transform ``X[k, m] = Σₙ window[n]·x[n +
        m·hop]·exp(−2πi·kn/n_fft)``.
        """
    def storage(self) -> TypedStorage:
        """Return the storage, counted in elements (deprecated: see `untyped_storage`)."""
    def storage_offset(self) -> builtins.int:
        """Return the place of the first element in the storage, in elements."""
    def sub(self, other: Any, *, alpha: _Number = 1) -> Tensor:
        """Return the difference ``input − alpha·other``."""
    def sub_(self, other: Any, *, alpha: _Number = 1) -> Tensor:
        """Write what :func:`sub` gives into `input`, and return it."""
    def subtract(self, other: Any, *, alpha: _Number = 1) -> Tensor:
        """Return the difference ``input − alpha·other``."""
    def subtract_(self, other: Any, *, alpha: _Number = 1) -> Tensor:
        """Write what :func:`subtract` gives into `input`, and return it."""
    def sum(self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: _dtype | None = None) -> Tensor:
        """Return the sum of all elements, or over `dim`; integers are summed in int64."""
    @overload
    def sum_to_size(self, *size: builtins.int) -> Tensor: ...
    @overload
    def sum_to_size(self, size: Sequence[builtins.int]) -> Tensor:
        """Return the sum over the axes along which `size` broadcasts to the tensor's shape."""
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> return_types.svd:
        """Return ``input = U diag(S) Vᴴ``, with V itself as third result."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Return axes `axis0` and `axis1` exchanged."""
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Apply :func:`swapaxes` in place."""
    def swapdims(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Return axes `axis0` and `axis1` exchanged."""
    def swapdims_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """Apply :func:`swapaxes` in place."""
    def t(self) -> Tensor:
        """Return the transpose of a matrix; a vector as it is."""
    def t_(self) -> Tensor:
        """Apply :func:`t` in place."""
    def take(self, index: Any) -> Tensor:
        """Return elements of `input` as one row at the places `index`."""
    def take_along_dim(self, indices: Any, dim: builtins.int | None = None) -> Tensor:
        """Return `gather` with the other axes broadcast; without `dim` from all elements as one row."""
    def tan(self) -> Tensor:
        """Return the tangent of each element, an angle in radians."""
    def tan_(self) -> Tensor:
        """Write what :func:`tan` gives into `input`, and return it."""
    def tanh(self) -> Tensor:
        """Return the hyperbolic tangent sinh(x)/cosh(x) of each element."""
    def tanh_(self) -> Tensor:
        """Write what :func:`tanh` gives into `input`, and return it."""
    def tensor_split(
        self, indices_or_sections: Any = None, dim: builtins.int = 0, *, indices: Any = None,
        sections: Any = None, tensor_indices_or_sections: Any = None,
    ) -> tuple[Tensor, ...]:
        """Return parts of nearly equal size along axis `dim`, or parts that end before the given places."""
    def tile(self, *dims: Any, **keyword: Any) -> Tensor:
        """Return `repeat` with as many leading ones as `dims` lacks."""
    @overload
    def to(
        self, device: _Device | None = None, dtype: _dtype | None = None, non_blocking: builtins.bool = False,
        copy: builtins.bool = False, *, memory_format: memory_format | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self, dtype: _dtype, non_blocking: builtins.bool = False, copy: builtins.bool = False, *,
        memory_format: memory_format | None = None,
    ) -> Tensor: ...
    @overload
    def to(
        self, tensor: Tensor, non_blocking: builtins.bool = False, copy: builtins.bool = False, *,
        memory_format: memory_format | None = None,
    ) -> Tensor:
        """Convert to a dtype, a device, or another tensor's dtype: ``to(dtype)``, ``to(device, dtype)``,
        ``to(other)``.
        """
    def to_dense(self, dtype: _dtype | None = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """Return the tensor itself, in another dtype where one is given."""
    def to_sparse(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the elements that are not zero as a sparse tensor: of coordinates, or of another
        `layout`.
        """
    def to_sparse_bsc(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the elements that are not zero as a sparse tensor in BSC."""
    def to_sparse_bsr(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the elements that are not zero as a sparse tensor in BSR."""
    def to_sparse_coo(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the elements that are not zero as a sparse tensor of coordinates."""
    def to_sparse_csc(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the elements that are not zero as a sparse tensor in CSC."""
    def to_sparse_csr(self, *args: Any, **kwargs: Any) -> Tensor:
        """Return the elements that are not zero as a sparse tensor in CSR."""
    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
    def topk(
        self, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True,
        sorted: builtins.bool = True,
    ) -> return_types.topk:
        """Return the `k` largest (or smallest) values along `dim` in order, and the indices where they
        were.
        """
    def trace(self) -> Tensor:
        """Return the sum of a matrix's diagonal: (m, n) -> ()."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Return axes `dim0` and `dim1` exchanged."""
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """Apply :func:`transpose` in place."""
    def triangular_solve(
        self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False,
        unitriangular: builtins.bool = False,
    ) -> return_types.triangular_solve:
        """Return X with ``A X = input``, or ``Aᵀ X = input``, for triangular A, and a copy of A."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """Return zeros above a diagonal of the matrices of the last two axes."""
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """Write what :func:`tril` gives into `input`, and return it."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """Return zeros below a diagonal of the matrices of the last two axes."""
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """Write what :func:`triu` gives into `input`, and return it."""
    def true_divide(self, other: Any) -> Tensor:
        """Return True quotient ``input/other``: `div` without a rounding mode."""
    def true_divide_(self, other: Any) -> Tensor:
        """Write what :func:`true_divide` gives into `input`, and return it."""
    def trunc(self) -> Tensor:
        """Return each element without its fraction: the whole number next to it towards 0."""
    def trunc_(self) -> Tensor:
        """Write what :func:`trunc` gives into `input`, and return it."""
    @overload
    def type(self) -> str: ...
    @overload
    def type(self, dtype: _dtype | str, non_blocking: builtins.bool = ...) -> Tensor:
        """Return the name of the tensor's type, or with a dtype, a type or a name the tensor in that
        dtype.
        """
    def type_as(self, other: Tensor) -> Tensor:
        """Return the tensor in the dtype of `other`."""
    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Return the parts along axis `dim`, each without it."""
    def unflatten(self, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
        """Return the axis `dim` as several axes of `sizes`; one size may be -1."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """Return windows of `size` places of an axis, `step` apart, along a new last axis."""
    def uniform_(
        self, from_: builtins.float = 0, to: builtins.float = 1, *, generator: Generator | None = None,
    ) -> Tensor:
        """Fill with numbers from [from, to), uniformly distributed."""
    @overload
    def unique(
        self, sorted: builtins.bool = True, return_inverse: Literal[False] = ...,
        return_counts: Literal[False] = ..., dim: builtins.int | None = None,
    ) -> Tensor: ...
    @overload
    def unique(
        self, sorted: builtins.bool = True, return_inverse: Literal[False] = ..., *,
        return_counts: Literal[True], dim: builtins.int | None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique(
        self, sorted: builtins.bool = True, *, return_inverse: Literal[True],
        return_counts: Literal[False] = ..., dim: builtins.int | None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique(
        self, sorted: builtins.bool = True, *, return_inverse: Literal[True], return_counts: Literal[True],
        dim: builtins.int | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def unique(
        self, sorted: builtins.bool = True, return_inverse: builtins.bool = False,
        return_counts: builtins.bool = False, dim: builtins.int | None = None,
    ) -> Any:
        """Return the distinct values (or slices along `dim`) in order; on request places and counts, too."""
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[False] = ..., return_counts: Literal[False] = ...,
        dim: builtins.int | None = None,
    ) -> Tensor: ...
    @overload
    def unique_consecutive(
        self, return_inverse: Literal[False] = ..., *, return_counts: Literal[True],
        dim: builtins.int | None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self, *, return_inverse: Literal[True], return_counts: Literal[False] = ...,
        dim: builtins.int | None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self, *, return_inverse: Literal[True], return_counts: Literal[True], dim: builtins.int | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]: ...
    @overload
    def unique_consecutive(
        self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False,
        dim: builtins.int | None = None,
    ) -> Any:
        """Return the values (or slices along `dim`) without those equal to the one before."""
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Return at most `chunks` parts of one size along axis `dim` (see :func:`unsafe_split`)."""
    def unsafe_split(self, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Return parts of one size along axis `dim`, as :func:`split` gives them, which autograd takes for
        no views.
        """
    def unsafe_split_with_sizes(
        self, split_sizes: Sequence[builtins.int], dim: builtins.int = 0,
    ) -> tuple[Tensor, ...]:
        """Return parts of given sizes along axis `dim` (see :func:`unsafe_split`)."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """Return it with a new axis of size 1 at `dim`."""
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """Apply :func:`unsqueeze` in place."""
    def untyped_storage(self) -> UntypedStorage:
        """Return the bytes that the tensor, and all that share memory with it, lie in."""
    def values(self) -> Tensor:
        """Raise torch's error: only a sparse tensor has them."""
    def var(
        self, dim: Any = None, unbiased: Any = None, keepdim: builtins.bool = False, *, correction: Any = ...,
    ) -> Tensor:
        """Return the variance Σ|x − mean|² / (n − correction) over `dim`; `unbiased=False` means
        ``correction=0``.
        """
    def vdot(self, other: Any) -> Tensor:
        """Return Σ conj(inputᵢ)·otherᵢ of two vectors of one length."""
    def view(self, *shape: Any, size: Any = None, dtype: _dtype | None = None) -> Tensor:
        """Return the same storage in another shape, or read as another dtype."""
    def view_as(self, other: Any) -> Tensor:
        """Return ``input.view(other.size())``."""
    @property
    def volatile(self) -> builtins.bool: ...
    def vsplit(self, indices_or_sections: Any) -> tuple[Tensor, ...]:
        """Return parts along axis 0."""
    def where(self, condition: Any, other: Any) -> Tensor:
        """Return elements of this tensor where `condition` holds, else of `other`."""
    @overload
    def xlogy(self, other: Tensor) -> Tensor: ...
    @overload
    def xlogy(self, other: _Number) -> Tensor:
        """Return x·log(y), 0 where x is 0 and y not nan."""
    @overload
    def xlogy_(self, other: Tensor) -> Tensor: ...
    @overload
    def xlogy_(self, other: _Number) -> Tensor:
        """Write what :func:`xlogy` gives into `input`, and return it."""
    def xpu(
        self, device: _Device | None = None, non_blocking: builtins.bool = False,
        memory_format: memory_format | None = None,
    ) -> Tensor:
        """Raise torch's error: there is no such device."""
    def zero_(self) -> Tensor:
        """Write 0 into every element; return the tensor."""
