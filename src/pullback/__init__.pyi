"""torch's top level.

Written by tools/make_stubs.py: run ``python -m tools.make_stubs``, and change nothing here by hand.
"""

import builtins
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import TypeAlias
from typing import overload
from . import autograd as autograd
from . import compiler as compiler
from . import distributed as distributed
from . import distributions as distributions
from . import fft as fft
from . import func as func
from . import fx as fx
from . import linalg as linalg
from . import nn as nn
from . import optim as optim
from . import serialization as serialization
from . import special as special
from . import utils as utils
from .array.dtype_limits import finfo as finfo
from .array.dtype_limits import iinfo as iinfo
from .array.dtypes import dtype as dtype
from .autograd.grad_mode import enable_grad as enable_grad
from .autograd.grad_mode import inference_mode as inference_mode
from .autograd.grad_mode import no_grad as no_grad
from .autograd.grad_mode import set_grad_enabled as set_grad_enabled
from .compiler.api import compile as compile
from .core.device import device as device
from .core.size import Size as Size
from .explain import CallableModule
from .func.vmap import vmap as vmap
from .serialization.file_reader import PyTorchFileReader as PyTorchFileReader
from .tensor.constants import layout as layout
from .tensor.constants import memory_format as memory_format
from .tensor.overriding import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from .tensor.random import Generator as Generator
from .tensor.tensor import Tensor as Tensor
from .tensor.typed_storage import TypedStorage as TypedStorage
from .tensor.untyped_storage import StorageBase as StorageBase
from .tensor.untyped_storage import UntypedStorage as UntypedStorage
from .torch_names import _C as _C
from .torch_names import _VF as _VF
from .torch_names import __config__ as __config__
from .torch_names import _custom_ops as _custom_ops
from .torch_names import _dynamo as _dynamo
from .torch_names import _functorch as _functorch
from .torch_names import _guards as _guards
from .torch_names import _higher_order_ops as _higher_order_ops
from .torch_names import _inductor as _inductor
from .torch_names import _ops as _ops
from .torch_names import _subclasses as _subclasses
from .torch_names import _tensor_str as _tensor_str
from .torch_names import _utils as _utils
from .torch_names import accelerator as accelerator
from .torch_names import amp as amp
from .torch_names import ao as ao
from .torch_names import backends as backends
from .torch_names import cpu as cpu
from .torch_names import cuda as cuda
from .torch_names import export as export
from .torch_names import functional as functional
from .torch_names import functorch as functorch
from .torch_names import futures as futures
from .torch_names import hub as hub
from .torch_names import jit as jit
from .torch_names import library as library
from .torch_names import masked as masked
from .torch_names import mps as mps
from .torch_names import mtia as mtia
from .torch_names import multiprocessing as multiprocessing
from .torch_names import nested as nested
from .torch_names import onnx as onnx
from .torch_names import overrides as overrides
from .torch_names import profiler as profiler
from .torch_names import quasirandom as quasirandom
from .torch_names import random as random
from .torch_names import return_types as return_types
from .torch_names import signal as signal
from .torch_names import sparse as sparse
from .torch_names import storage as storage
from .torch_names import testing as testing
from .torch_names import torch_version as torch_version
from .torch_names import types as types
from .torch_names import version as version
from .torch_names import xpu as xpu
from .torch_names.amp.autocast_mode import autocast as autocast
from .torch_names.amp.grad_scaler import GradScaler as GradScaler
from .torch_names.cuda import AcceleratorError as AcceleratorError
from .torch_names.cuda import OutOfMemoryError as OutOfMemoryError
from .torch_names.futures import Future as Future
from .torch_names.jit import DeviceObjType as DeviceObjType
from .torch_names.jit.traced import ScriptFunction as ScriptFunction
from .torch_names.jit.traced import ScriptModule as ScriptModule
from .torch_names.streams import Event as Event
from .torch_names.streams import Stream as Stream
from .torch_names.symbolic import SymBool as SymBool
from .torch_names.symbolic import SymFloat as SymFloat
from .torch_names.symbolic import SymInt as SymInt

_Device: TypeAlias = device | str | builtins.int
_Number: TypeAlias = builtins.int | builtins.float | builtins.complex

BFloat16Storage: Any
BFloat16Tensor: Any
BoolStorage: Any
BoolTensor: Any
ByteStorage: Any
ByteTensor: Any
CharStorage: Any
CharTensor: Any
ComplexDoubleStorage: Any
ComplexFloatStorage: Any
DoubleStorage: Any
DoubleTensor: Any
FloatStorage: Any
FloatTensor: Any
HalfStorage: Any
HalfTensor: Any
IntStorage: Any
IntTensor: Any
LongStorage: Any
LongTensor: Any
ShortStorage: Any
ShortTensor: Any
__version__: Any
def _assert(condition: Any, message: Any) -> Tensor:
    """Return ``assert condition, message`` that a class which overrides functions is told of."""
def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise a RuntimeError where a tensor of one element is zero, or a tensor has more elements, or none."""
def _check(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise RuntimeError where a condition is False."""
def _check_index(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise IndexError where a condition is False."""
def _check_is_size(
    i: Any, message: Callable[[], Any] | None = None, *, max: builtins.int | None = None,
) -> None:
    """Raise RuntimeError where a number cannot be a size (deprecated: see `_check`)."""
def _check_not_implemented(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise NotImplementedError where a condition is False."""
def _check_tensor_all(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise RuntimeError where an element of a tensor of booleans is False."""
def _check_type(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise TypeError where a condition is False."""
def _check_value(cond: Any, message: Callable[[], Any] | None = None) -> None:
    """Raise ValueError where a condition is False."""
def _check_with(kind: type[Exception], cond: Any, message: Callable[[], Any] | None) -> None:
    """Raise an error of a class where a condition is False; `message`, if there is one, gives the text."""
def _conj(input: Tensor) -> Tensor:
    """Return the complex conjugates, a view; a real tensor itself."""
def _conj_physical(input: Tensor) -> Tensor:
    """Return the complex conjugates as new elements; a real tensor itself."""
def _convert_indices_from_coo_to_csr(
    input: Tensor, size: builtins.int, *, out_int32: builtins.bool = False, out: Tensor | None = None,
) -> Tensor:
    """Return where each of `size` rows begins among the rows of entries, which are in order."""
def _convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: builtins.bool = False,
    transpose: builtins.bool = False, out: Tensor | None = None,
) -> Tensor:
    """Return rows and columns, ``(2, entries)``, of where each row begins and of the columns."""
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """Return dx/dα of Dirichlet numbers before their sum is kept at 1; `total` is the sum of all α."""
def _is_all_true(input: Tensor) -> Tensor:
    """Return whether all elements are true, those of the other rows of a vmap included: what checks ask."""
def _is_any_true(input: Tensor) -> Tensor:
    """Return whether any element is true, those of the other rows of a vmap included."""
def _neg_view(input: Tensor) -> Tensor:
    """Return the negatives as a view."""
def _pack_padded_sequence(
    input: Tensor, lengths: Tensor, batch_first: builtins.bool,
) -> tuple[Tensor, Tensor]:
    """Pack (T, N, …), or (N, T, …) with `batch_first`, whose sequences have falling lengths (N,)."""
def _pad_packed_sequence(
    data: Tensor, batch_sizes: Tensor, batch_first: builtins.bool, padding_value: _Number,
    total_length: builtins.int,
) -> tuple[Tensor, Tensor]:
    """Unpack to (total_length, N, …), or (N, total_length, …) with `batch_first`."""
def _prelu_kernel(input: Tensor, weight: Tensor) -> Tensor:
    """Return `input` where it is positive, else `weight` times it."""
def _sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return numbers whose last axis has the Dirichlet distribution with the concentrations in `input`."""
def _segment_reduce(
    data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
    offsets: Tensor | None = None, axis: builtins.int = 0, unsafe: builtins.bool = False,
    initial: _Number | None = None,
) -> Tensor:
    """Reduce neighbouring places of an axis, segment by segment."""
def _shape_as_tensor(input: Tensor) -> Tensor:
    """Return the shape as a tensor of int64."""
def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Return gamma numbers of rate 1 with the concentrations in `input`; they have implicit gradients."""
def _standard_gamma_grad(input: Tensor, output: Tensor) -> Tensor:
    """Return how gamma numbers `output` of rate 1 move with the concentrations `input` of their draw."""
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the size |x| of each element: a real number, also of a complex one."""
def abs_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`abs` gives into `input`, and return it."""
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the size |x| of each element: a real number, also of a complex one."""
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in [0, π] whose cosine each element is: nan outside [−1, 1]."""
def acos_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`acos` gives into `input`, and return it."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose hyperbolic cosine each element is: log(x + √(x² − 1)), nan below 1."""
def acosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`acosh` gives into `input`, and return it."""
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Return means over `output_size` windows of nearly equal length, one axis."""
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """Return maxima over `output_size` windows of nearly equal length and their indices."""
def add(input: Tensor, other: Any, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Sum ``input + alpha·other``."""
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * Σ_b batch1[b] @ batch2[b]``."""
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None,
) -> Tensor:
    """Sum with a scaled quotient, ``input + value·tensor1/tensor2``."""
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: _Number = 1, out: Tensor | None = None,
) -> Tensor:
    """Sum with a scaled product, ``input + value·tensor1·tensor2``."""
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * mat1 @ mat2``; `input` broadcasts to (n, m)."""
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * mat @ vec``."""
def addmv_(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Write what :func:`addmv` gives into `input`, and return it."""
def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * vec1 ⊗ vec2``."""
def adjoint(input: Tensor) -> Tensor:
    """Return the matrices of the last two axes transposed and conjugated."""
def affine_grid_generator(theta: Any, size: Sequence[builtins.int], align_corners: builtins.bool) -> Tensor:
    """Return :func:`torch.nn.functional.affine_grid` without a default."""
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`alias` shows: the tensor."""
def all(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return whether all elements, over `dim`, are not 0."""
def allclose(
    input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> builtins.bool:
    """Return whether `isclose`, whose parameters these are, holds everywhere."""
def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Do dropout that keeps the mean and the variance of what `selu` gives."""
def alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Apply :func:`alpha_dropout` in place."""
def amax(
    input: Tensor, dim: Any = (), keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return the largest element over `dim`; ties share the gradient."""
def amin(
    input: Tensor, dim: Any = (), keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return the smallest element over `dim`; ties share the gradient."""
def aminmax(
    input: Tensor, *, dim: Any = None, keepdim: builtins.bool = False, out: Sequence[Tensor] | None = None,
) -> return_types.aminmax:
    """Return the smallest and the largest element, over `dim` if given."""
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of each element in the complex plane, in radians: 0 or π of a real one."""
def any(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return whether any element, over `dim`, is not 0."""
@overload
def arange(
    end: _Number, *, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def arange(
    start: _Number, end: _Number, *, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def arange(
    start: _Number, end: _Number, step: _Number = 1, *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make the numbers ``start + i·step`` from [start, end), i counting from 0."""
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in [0, π] whose cosine each element is: nan outside [−1, 1]."""
def arccos_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`arccos` gives into `input`, and return it."""
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose hyperbolic cosine each element is: log(x + √(x² − 1)), nan below 1."""
def arccosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`arccosh` gives into `input`, and return it."""
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in [−π/2, π/2] whose sine each element is: nan outside [−1, 1]."""
def arcsin_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`arcsin` gives into `input`, and return it."""
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose hyperbolic sine each element is: log(x + √(x² + 1))."""
def arcsinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`arcsinh` gives into `input`, and return it."""
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in (−π/2, π/2) whose tangent each element is."""
def arctan2(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in (−π, π] of the point with height `input` and width `other`."""
def arctan_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`arctan` gives into `input`, and return it."""
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose hyperbolic tangent each element is: log((1 + x)/(1 − x))/2."""
def arctanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`arctanh` gives into `input`, and return it."""
def are_deterministic_algorithms_enabled() -> builtins.bool:
    """Return whether deterministic algorithms were asked for."""
def argmax(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return where the largest element is, along `dim` or of all."""
def argmin(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return where the smallest element is, along `dim` or of all."""
def argsort(
    input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, *,
    stable: builtins.bool = False, out: Tensor | None = None,
) -> Tensor:
    """Return indices that sort the input along `dim`."""
def argwhere(input: Tensor) -> Tensor:
    """Return where elements are not zero, as ``(n, rank)`` indices."""
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
    """Return the view of the input's storage with the given sizes and strides (in elements)."""
def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
    """Apply :func:`as_strided` in place."""
def as_strided_copy(
    input: Tensor, size: Sequence[builtins.int], stride: Sequence[builtins.int],
    storage_offset: builtins.int | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`as_strided` shows: elements of the storage by sizes and strides."""
def as_strided_scatter(
    input: Tensor, src: Any, size: Any, stride: Any, storage_offset: builtins.int | None = None,
) -> Tensor:
    """Return `input` with the elements that `as_strided` selects replaced by `src`."""
def as_tensor(data: Any, *, dtype: dtype | None = None, device: _Device | None = None) -> Tensor:
    """Make a tensor of data, without a copy where dtype and memory allow it."""
def asarray(
    obj: Any, *, dtype: dtype | None = None, device: _Device | None = None, copy: builtins.bool | None = None,
    requires_grad: builtins.bool | None = None,
) -> Tensor:
    """Make a tensor of `obj`, shared or copied as `copy` says (None: shared where that is possible)."""
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in [−π/2, π/2] whose sine each element is: nan outside [−1, 1]."""
def asin_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`asin` gives into `input`, and return it."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose hyperbolic sine each element is: log(x + √(x² + 1))."""
def asinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`asinh` gives into `input`, and return it."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in (−π/2, π/2) whose tangent each element is."""
def atan2(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the angle in (−π, π] of the point with height `input` and width `other`."""
def atan_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`atan` gives into `input`, and return it."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose hyperbolic tangent each element is: log((1 + x)/(1 − x))/2."""
def atanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`atanh` gives into `input`, and return it."""
@overload
def atleast_1d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_1d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_1d(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return tensors with at least one axis."""
@overload
def atleast_2d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_2d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_2d(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return tensors with at least two axes, new ones in front."""
@overload
def atleast_3d(tensor: Tensor, /) -> Tensor: ...
@overload
def atleast_3d(tensors: Sequence[Tensor], /) -> tuple[Tensor, ...]: ...
@overload
def atleast_3d(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Return tensors with at least three axes: a vector as (1, n, 1), a matrix as (n, m, 1)."""
def autocast_decrement_nesting() -> builtins.int:
    """Leave a region; the number of those still entered."""
def autocast_increment_nesting() -> builtins.int:
    """Enter one more region; the number of those now entered."""
def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: builtins.bool = False,
    count_include_pad: builtins.bool = True,
) -> Tensor:
    """Return the mean of each window of one axis: (N, C, L) -> (N, C, L')."""
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta * input + alpha * batch1 @ batch2`` for stacks of matrices."""
@overload
def bartlett_window(
    window_length: builtins.int, *, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def bartlett_window(
    window_length: builtins.int, periodic: builtins.bool, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return Bartlett's triangle ``1 − |2k/n − 1|``."""
def batch_norm(
    input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    training: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool,
) -> Tensor:
    """Normalise over all axes but the second."""
@overload
def bernoulli(input: Tensor, *, generator: Generator | None = None, out: Tensor | None = None) -> Tensor: ...
@overload
def bernoulli(
    input: Tensor, p: builtins.float, *, generator: Generator | None = None, out: Tensor | None = None,
) -> Tensor:
    """Return ones with the probabilities in `input` (or `p` for all), else zeros."""
bfloat16: dtype
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return ``Σ_ij input1ᵢ · weight[k, i, j] · input2ⱼ + bias[k]``."""
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
    reduction: builtins.int = 0,
) -> Tensor:
    """Return the binary cross entropy of `sigmoid(input)`."""
def bincount(input: Tensor, weights: Any = None, minlength: builtins.int = 0) -> Tensor:
    """Count each of 0, 1, 2, … in a vector of integers, or sum `weights` where it occurs."""
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw how many of `count` trials succeed, each with probability `prob`; the two broadcast."""
bit: dtype
bits16: dtype
bits1x8: dtype
bits2x4: dtype
bits4x2: dtype
bits8: dtype
@overload
def bitwise_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_and(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_and(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the bits that both elements have."""
@overload
def bitwise_left_shift(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_left_shift(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_left_shift(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``input · 2^other``: the bits moved up."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element with every bit turned; of bool the other value."""
@overload
def bitwise_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_or(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_or(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the bits that at least one element has."""
@overload
def bitwise_right_shift(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_right_shift(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_right_shift(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return ``⌊input / 2^other⌋``: the bits moved down."""
@overload
def bitwise_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_xor(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def bitwise_xor(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the bits that exactly one element has."""
@overload
def blackman_window(
    window_length: builtins.int, *, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def blackman_window(
    window_length: builtins.int, periodic: builtins.bool, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return the Blackman's window ``0.42 − 0.5·cos(2πk/n) + 0.08·cos(4πk/n)``."""
def block_diag(*tensors_: Any) -> Tensor:
    """Return matrices along the diagonal of one, zeros elsewhere."""
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return products of two stacks of matrices: (b, n, k) @ (b, k, m) -> (b, n, m)."""
bool: dtype
def broadcast_shapes(*shapes: Any) -> Tensor:
    """Return the shape to which shapes (or sizes) broadcast."""
def broadcast_tensors(*tensors_: Any) -> tuple[Tensor, ...]:
    """Return each tensor expanded to the shape to which all of them broadcast."""
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Return ``input.expand(size)``."""
def bucketize(
    input: Tensor, boundaries: Any, *, out_int32: builtins.bool = False, right: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return in which interval between sorted `boundaries` each element lies."""
def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Return whether a cast keeps or raises the category, as int to float does and float to int does not."""
def cartesian_prod(*tensors: Any) -> Tensor:
    """Return all tuples with one element of each vector, the last one running fastest."""
def cat(
    tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return tensors one after another along axis `dim`; other sizes agree. Empty vectors are left out."""
def ccol_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the `ccol_indices` of a sparse tensor."""
def cdist(
    x1: Tensor, x2: Tensor, p: builtins.float = 2.0,
    compute_mode: str = 'use_mm_for_euclid_dist_if_necessary',
) -> Tensor:
    """Return distances ``(Σ |x1ᵢ − x2ⱼ|ᵖ)^(1/p)`` of every row of `x1` to every row of `x2`."""
cdouble: dtype
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the least whole number that is not below each element."""
def ceil_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`ceil` gives into `input`, and return it."""
def celu(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """Return input where it is positive, else α(exp(input/α) − 1)."""
def celu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """Apply `celu` in place."""
cfloat: dtype
def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """Return the product of a chain of matrices."""
chalf: dtype
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Map (N, g·c, …) -> (N, c·g, …): the channels of every group in turn."""
channels_last: memory_format
channels_last_3d: memory_format
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the Cholesky factor: (…, n, n) -> (…, n, n) (see `torch.linalg.cholesky`)."""
def cholesky_inverse(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return ``(L Lᴴ)⁻¹`` from a Cholesky factor L (``(Uᴴ U)⁻¹`` with `upper`): (…, n, n) -> (…, n, n)."""
def cholesky_solve(
    input: Tensor, input2: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return X with ``L Lᴴ X = input`` (``Uᴴ U X`` with `upper`) for a Cholesky factor."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Return at most `chunks` parts of one size along axis `dim`."""
@overload
def clamp(
    input: Tensor, min: Tensor | None = None, max: Tensor | None = None, *, out: Tensor | None = None,
) -> Tensor: ...
@overload
def clamp(
    input: Tensor, min: _Number | None = None, max: _Number | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Cut to limits, ``min(max(input, min), max)``."""
@overload
def clamp_(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clamp_(input: Tensor, min: _Number | None = None, max: _Number | None = None) -> Tensor:
    """Write what :func:`clamp` gives into `input`, and return it."""
@overload
def clamp_max(input: Tensor, max: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def clamp_max(input: Tensor, max: _Number, *, out: Tensor | None = None) -> Tensor:
    """Cut from above, ``min(input, max)``."""
@overload
def clamp_max_(input: Tensor, max: Tensor) -> Tensor: ...
@overload
def clamp_max_(input: Tensor, max: _Number) -> Tensor:
    """Write what :func:`clamp_max` gives into `input`, and return it."""
@overload
def clamp_min(input: Tensor, min: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def clamp_min(input: Tensor, min: _Number, *, out: Tensor | None = None) -> Tensor:
    """Cut from below, ``max(input, min)``."""
@overload
def clamp_min_(input: Tensor, min: Tensor) -> Tensor: ...
@overload
def clamp_min_(input: Tensor, min: _Number) -> Tensor:
    """Write what :func:`clamp_min` gives into `input`, and return it."""
def clear_autocast_cache() -> None:
    """Forget the casts that were kept."""
@overload
def clip(
    input: Tensor, min: Tensor | None = None, max: Tensor | None = None, *, out: Tensor | None = None,
) -> Tensor: ...
@overload
def clip(
    input: Tensor, min: _Number | None = None, max: _Number | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Cut to limits, ``min(max(input, min), max)``."""
@overload
def clip_(input: Tensor, min: Tensor | None = None, max: Tensor | None = None) -> Tensor: ...
@overload
def clip_(input: Tensor, min: _Number | None = None, max: _Number | None = None) -> Tensor:
    """Write what :func:`clip` gives into `input`, and return it."""
def clone(input: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """Return a copy with its own storage, in the input's layout or in a given one."""
def col_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the `col_indices` of a sparse tensor."""
def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return tensors, vectors as columns, joined along axis 1."""
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """Return all choices of `r` elements of a vector, in the order of their places."""
def compiled_with_cxx11_abi() -> builtins.bool:
    """Return True, as every torch of today; nothing here is compiled."""
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return complex numbers ``real + i·imag``; shapes broadcast."""
complex128: dtype
complex32: dtype
complex64: dtype
def concat(
    tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return tensors one after another along axis `dim`; other sizes agree. Empty vectors are left out."""
def concatenate(
    tensors: Sequence[Tensor], dim: builtins.int = 0, *, axis: builtins.int | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return tensors one after another along axis `dim`; other sizes agree. Empty vectors are left out."""
def cond(
    pred: object, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = (),
) -> Tensor:
    """Call one of two functions: ``true_fn(*operands) if pred else false_fn(*operands)``."""
def conj(input: Tensor) -> Tensor:
    """Return the complex conjugates, a view; a real tensor itself."""
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugates as new elements; a real tensor itself."""
def conj_physical_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`conj_physical` gives into `input`, and return it."""
def constant_pad_nd(input: Tensor, pad: Sequence[builtins.int], value: _Number = 0) -> Tensor:
    """Pad the last axes with a number."""
contiguous_format: memory_format
def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: builtins.int = 1,
) -> Tensor:
    """Return the convolution over one axis: (N, C, L) with (O, C / groups, K) -> (N, O, L')."""
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: builtins.int = 1,
) -> Tensor:
    """Return the convolution over two axes: (N, C, H, W) with (O, C / groups, K, L) -> (N, O, H', W')."""
def conv3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: builtins.int = 1,
) -> Tensor:
    """Return the convolution over three axes: (N, C, D, H, W) with (O, C / groups, J, K, L) -> (N, O, D',
    H', W').
    """
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: builtins.int = 0) -> Tensor:
    """Return the convolution in time: ``out[t] = Σ_k input[t + k − pad] @ weight[k] + bias``."""
def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1,
) -> Tensor:
    """Return the transpose of a convolution of one axis: (N, C, L) with (C, O / groups, K) -> (N, O, L')."""
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1,
) -> Tensor:
    """Return the transpose of a convolution over two axes: (N, C, H, W) with (C, O / groups, K, L) -> (N,
    O, H', W').
    """
def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1,
) -> Tensor:
    """Return the transpose of a convolution over three axes: (N, C, D, H, W) -> (N, O, D', H', W')."""
def convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[builtins.int],
    padding: Sequence[builtins.int], dilation: Sequence[builtins.int], transposed: builtins.bool,
    output_padding: Sequence[builtins.int], groups: builtins.int,
) -> Tensor:
    """Return the convolution, or its transpose, over as many axes as the weight has after its first two."""
@overload
def copysign(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def copysign(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the magnitude of `input` with the sign of `other`; the sign bit of zeros and nans counts."""
def corrcoef(input: Tensor) -> Tensor:
    """Return the Pearson correlation of variables in rows, ``Cᵢⱼ / √(Cᵢᵢ·Cⱼⱼ)`` with C of :func:`cov`,
    clipped to [−1, 1].
    """
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the cosine of each element, an angle in radians."""
def cos_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`cos` gives into `input`, and return it."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic cosine (eˣ + e⁻ˣ)/2 of each element."""
def cosh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`cosh` gives into `input`, and return it."""
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 0,
) -> Tensor:
    """Return 1 − cos(x₁, x₂) where the target is 1, max(0, cos(x₁, x₂) − margin) where it is −1."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """Return Σ x1·x2 / (|x1|·|x2|) along `dim`, norms no less than `eps`."""
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """Count the elements, over `dim`, that are not 0."""
def cov(
    input: Tensor, *, correction: builtins.int = 1, fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Return the covariance matrix of variables in rows, ``Σₖ wₖ·(xᵢₖ − x̄ᵢ)·conj(xⱼₖ − x̄ⱼ) / (Σw −
    correction)``.
    """
def cross(
    input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return the vector product along `dim`, or along the first axis of length 3."""
def crow_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the `crow_indices` of a sparse tensor."""
@overload
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Sequence[builtins.int],
    target_lengths: Sequence[builtins.int], blank: builtins.int = 0, reduction: builtins.int = ...,
    zero_infinity: builtins.bool = False,
) -> Tensor: ...
@overload
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor,
    blank: builtins.int = 0, reduction: builtins.int = ..., zero_infinity: builtins.bool = False,
) -> Tensor:
    """Return :func:`torch.nn.functional.ctc_loss` with the reduction as a number, 0 where none is given."""
def cudnn_is_acceptable(tensor: Any) -> builtins.bool:
    """Return False: no tensor is on a CUDA device."""
def cummax(input: Tensor, dim: builtins.int, *, out: Sequence[Tensor] | None = None) -> return_types.cummax:
    """Return the largest element so far along `dim` and where it is."""
def cummin(input: Tensor, dim: builtins.int, *, out: Sequence[Tensor] | None = None) -> return_types.cummin:
    """Return the smallest element so far along `dim` and where it is."""
def cumprod(
    input: Tensor, dim: builtins.int, *, dtype: dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """Return the running product along `dim`."""
def cumsum(
    input: Tensor, dim: builtins.int, *, dtype: dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """Return the running sum along `dim`."""
@overload
def cumulative_trapezoid(y: Tensor, x: Tensor, *, dim: builtins.int = -1) -> Tensor: ...
@overload
def cumulative_trapezoid(y: Tensor, *, dx: _Number = 1, dim: builtins.int = -1) -> Tensor:
    """Return the running integral along `dim` by the trapezoidal rule: the sums of :func:`trapezoid` up to
    each place.
    """
default_generator: Generator
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element, an angle in degrees, in radians: x·π/180."""
def deg2rad_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`deg2rad` gives into `input`, and return it."""
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the determinant: (…, n, n) -> (…)."""
def detach(input: Tensor) -> Tensor:
    """Return the same storage without history."""
def detach_(self: Tensor) -> Tensor:
    """Cut this tensor from its history, in place."""
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`detach` shows: the tensor without its history."""
def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return a vector as the diagonal of a matrix, or the diagonal of a matrix."""
def diag_embed(
    input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1,
) -> Tensor:
    """Return the last axis on a diagonal of two new axes."""
def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """Return all elements on the diagonal of a matrix."""
def diagonal(
    input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1,
) -> Tensor:
    """Return the diagonal of axes `dim1` and `dim2`, as a last axis."""
def diagonal_copy(
    input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *,
    out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`diagonal` shows: a diagonal, as a last axis."""
def diagonal_scatter(
    input: Tensor, src: Any, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1,
) -> Tensor:
    """Return `input` with a diagonal replaced by `src`."""
def diff(
    input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Tensor | None = None,
    append: Tensor | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return differences of neighbours along `dim`, `n` times over."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithmic derivative of the gamma function, Γ′(x)/Γ(x), of each element."""
def dist(input: Tensor, other: Any, p: Any = 2, *, out: Tensor | None = None) -> Tensor:
    """Return the norm of order `p` of ``input − other``."""
def div(input: Tensor, other: Any, *, rounding_mode: str | None = ..., out: Tensor | None = None) -> Tensor:
    """Return the quotient ``input/other``."""
def divide(
    input: Tensor, other: Any, *, rounding_mode: str | None = ..., out: Tensor | None = None,
) -> Tensor:
    """Return the quotient ``input/other``."""
def dot(input: Tensor, tensor: Any, *, out: Tensor | None = None) -> Tensor:
    """Return Σ inputᵢ·tensorᵢ of two vectors of one length (nothing is conjugated)."""
double: dtype
def dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zero elements with probability p and scale the others by 1/(1 − p)."""
def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Apply :func:`dropout` in place."""
def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return an older name of `mm`."""
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return parts along axis 2."""
def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return tensors, as of rank 3, joined along axis 2."""
e: builtins.float
def einsum(*args: Any) -> Tensor:
    """Return the sum of products over named axes, ``einsum("ij,jk->ik", a, b)``; operands may come as one
    list.
    """
def embedding(
    weight: Tensor, indices: Any, padding_idx: builtins.int = -1, scale_grad_by_freq: builtins.bool = False,
    sparse: builtins.bool = False,
) -> Tensor:
    """Return rows of `weight` at `indices`; −1 means that no row is padding."""
def embedding_renorm_(
    input: Tensor, indices: Tensor, max_norm: builtins.float, norm_type: builtins.float,
) -> Tensor:
    """Scale the rows of a table that are picked and longer than `max_norm` down to it, in place."""
@overload
def empty(
    *size: builtins.int, memory_format: memory_format | None = None, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def empty(
    size: Sequence[builtins.int], *, memory_format: memory_format | None = None, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor whose elements are whatever the memory holds (see `zeros`)."""
def empty_like(
    input: Tensor, *, memory_format: memory_format | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor of uninitialised elements in the shape, dtype and layout of `input`."""
def empty_permuted(
    size: Sequence[builtins.int], physical_layout: Sequence[builtins.int], *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make an uninitialised tensor whose axes lie in memory in a given order, outermost first."""
def empty_strided(
    size: Sequence[builtins.int], stride: Sequence[builtins.int], *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make an uninitialised tensor whose strides, in elements, are `stride`."""
def eq(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input = other``: False where one is nan."""
def equal(input: Tensor, other: Any) -> builtins.bool:
    """Return whether two tensors have the same shape and the same elements (nan equals nothing)."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the error function 2/√π·∫₀ˣ exp(−t²) dt of each element."""
def erf_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`erf` gives into `input`, and return it."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complementary error function 1 − erf(x) of each element."""
def erfc_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`erfc` gives into `input`, and return it."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the value whose error function each element is: ±∞ at ±1 and nan beyond."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the exponential eˣ of each element."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the power 2ˣ of each element."""
def exp2_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`exp2` gives into `input`, and return it."""
def exp_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`exp` gives into `input`, and return it."""
def expand_copy(
    input: Tensor, size: Sequence[builtins.int], *, implicit: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`expand` shows: axes of size 1 repeated."""
explain: CallableModule
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return eˣ − 1 of each element, exact near 0."""
def expm1_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`expm1` gives into `input`, and return it."""
@overload
def eye(
    n: builtins.int, *, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def eye(
    n: builtins.int, m: builtins.int, *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a matrix of shape (n, m) with ones on the diagonal and zeros elsewhere."""
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: builtins.int, quant_min: builtins.int,
    quant_max: builtins.int,
) -> Tensor:
    """Do `fake_quantize_per_tensor_affine` with a scale and a zero point for each place of an axis."""
@overload
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, quant_min: builtins.int, quant_max: builtins.int,
) -> Tensor: ...
@overload
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: builtins.float, zero_point: builtins.int, quant_min: builtins.int,
    quant_max: builtins.int,
) -> Tensor:
    """Round to the numbers (q − zero_point) · scale of whole q from `quant_min` to `quant_max`."""
def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Return :func:`alpha_dropout` of whole channels."""
def feature_alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Apply :func:`feature_alpha_dropout` in place."""
def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Return :func:`dropout` of whole channels."""
def feature_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Apply :func:`feature_dropout` in place."""
def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor like `input` with one value in every element."""
def fill_(self: Tensor, value: Any) -> Tensor:
    """Write one value into every element; return the tensor."""
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element without its fraction: the whole number next to it towards 0."""
def fix_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`fix` gives into `input`, and return it."""
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Return the axes `start_dim` to `end_dim` as one."""
def flip(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """Return the axes `dims` in reverse."""
def fliplr(input: Tensor) -> Tensor:
    """Return the axis 1 in reverse."""
def flipud(input: Tensor) -> Tensor:
    """Return axis 0 in reverse."""
float: dtype
float16: dtype
float32: dtype
float4_e2m1fn_x2: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
@overload
def float_power(input: Tensor, exponent: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def float_power(self: _Number, exponent: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def float_power(input: Tensor, exponent: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the power in double precision (complex double for a complex operand)."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest whole number that is not above each element."""
def floor_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`floor` gives into `input`, and return it."""
@overload
def floor_divide(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def floor_divide(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the quotient downwards, ⌊input/other⌋."""
def fmax(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of both elements, and the other where one is nan."""
def fmin(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of both elements, and the other where one is nan."""
@overload
def fmod(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def fmod(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the remainder ``input − other·trunc(input/other)``, of the sign of `input`."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the fraction x − trunc(x) of each element, of its sign."""
def frac_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`frac` gives into `input`, and return it."""
def freeze(model: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None, f: Any = None) -> Any:
    """Compile a model or a step for the shapes and dtypes of example inputs, to be kept in one file."""
def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.frexp:
    """Return the mantissa and exponent: ``input = mantissa · 2^exponent`` with |mantissa| in [½, 1)."""
def frobenius_norm(
    input: Tensor, dim: Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return the Euclidean norm ``√Σ|x|²`` over one axis or two, or over all where `dim` is empty."""
def from_dlpack(
    ext_tensor: Any, *, device: _Device | None = None, copy: builtins.bool | None = None,
) -> Tensor:
    """Wrap the memory of an object that exports DLPack, or of a DLPack capsule."""
def from_file(
    filename: Any, shared: builtins.bool | None = None, size: builtins.int | None = 0, *,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool = False, requires_grad: builtins.bool = False,
) -> Tensor:
    """Return a one-dimensional tensor on the elements of a file; see `UntypedStorage.from_file`."""
def from_numpy(array: Any) -> Tensor:
    """Wrap a NumPy array: tensor and array see each other's writes."""
def frombuffer(
    buffer: Any, *, dtype: dtype, count: builtins.int = -1, offset: builtins.int = 0,
    requires_grad: builtins.bool = False,
) -> Tensor:
    """Wrap the memory of an object that has the buffer protocol as a one-dimensional tensor."""
def full(
    size: Sequence[builtins.int], fill_value: _Number, *, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor with every element `fill_value`, whose kind decides the dtype where none is given."""
def full_like(
    input: Tensor, fill_value: _Number, *, memory_format: memory_format | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor with every element `fill_value` in the shape, dtype and layout of `input`."""
def gather(
    input: Tensor, dim: builtins.int, index: Any, *, sparse_grad: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``y[i, j] = input[index[i, j], j]`` for dim 0, and alike for others; y has the shape of
    `index`.
    """
def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest common divisor of both elements: 0 of 0 and 0."""
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """Write what :func:`gcd` gives into `input`, and return it."""
def ge(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input ≥ other``: False where one is nan."""
def geqrf(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.geqrf:
    """Return QR as LAPACK's geqrf leaves it."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix inputᵢ·vec2ⱼ of two vectors."""
def get_autocast_cpu_dtype() -> Tensor:
    """Return the lower precision of the CPU."""
def get_autocast_dtype(device_type: str) -> Tensor:
    """Return the lower precision of a device."""
def get_autocast_gpu_dtype() -> Tensor:
    """Return the lower precision of CUDA."""
def get_default_device() -> device:
    """Return the device on which tensors are made when none is given."""
def get_default_dtype() -> dtype:
    """Return the floating-point dtype that Python floats become."""
def get_deterministic_debug_mode() -> builtins.int:
    """Return 0 for the default, 1 for a warning, 2 for an error where an algorithm is not deterministic."""
def get_device(input: Tensor) -> builtins.int:
    """Return -1: the tensor is on the CPU."""
def get_device_module(device: _Device | None = None) -> Tensor:
    """Return the module for a device's type, such as `torch.cuda`; that of the CPU where none is given."""
def get_float32_matmul_precision() -> str:
    """Return 'highest', 'high' or 'medium'."""
def get_num_interop_threads() -> builtins.int:
    """Return the number of threads that ops of one program run on side by side: 1."""
def get_num_threads() -> builtins.int:
    """Return the number of threads that large ops run on."""
def get_rng_state() -> Tensor:
    """Return the default generator's state as a uint8 tensor."""
@overload
def gradient(
    input: Tensor, *, dim: Sequence[builtins.int], edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    input: Tensor, *, spacing: _Number, dim: Sequence[builtins.int], edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    input: Tensor, *, spacing: _Number | None = None, dim: builtins.int | None = None,
    edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    input: Tensor, *, spacing: Sequence[builtins.complex], dim: builtins.int | None = None,
    edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    input: Tensor, *, spacing: Sequence[builtins.complex], dim: Sequence[builtins.int],
    edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    input: Tensor, *, spacing: Sequence[Tensor], dim: builtins.int | None = None,
    edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]: ...
@overload
def gradient(
    input: Tensor, *, spacing: Sequence[Tensor], dim: Sequence[builtins.int], edge_order: builtins.int = 1,
) -> tuple[Tensor, ...]:
    """Return derivatives along axes by finite differences: of second order inside, of `edge_order` at both
    ends.
    """
def greater(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input > other``: False where one is nan."""
def greater_equal(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input ≥ other``: False where one is nan."""
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int,
    align_corners: builtins.bool,
) -> Tensor:
    """Return :func:`torch.nn.functional.grid_sample` with its modes as numbers, in their documented order."""
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int,
    align_corners: builtins.bool,
) -> Tensor:
    """Return :func:`torch.nn.functional.grid_sample` with its modes as numbers, in their documented order."""
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int,
    align_corners: builtins.bool,
) -> Tensor:
    """Return :func:`torch.nn.functional.grid_sample` with its modes as numbers, in their documented order."""
def group_norm(
    input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: builtins.float = 1e-05, cudnn_enabled: builtins.bool = True,
) -> Tensor:
    """Normalise over groups of channels."""
@overload
def gru(
    data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool,
    num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def gru(
    input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int,
    dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool,
) -> tuple[Tensor, Tensor]:
    """Compute gated recurrent units; arguments and results of :func:`rnn_tanh`, weights of `gru_cell`."""
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """Compute a gated recurrent unit (Cho et al. 2014): (N, I), (N, H) -> (N, H)."""
def gt(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input > other``: False where one is nan."""
half: dtype
@overload
def hamming_window(
    window_length: builtins.int, *, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def hamming_window(
    window_length: builtins.int, periodic: builtins.bool, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def hamming_window(
    window_length: builtins.int, periodic: builtins.bool, alpha: builtins.float, *,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def hamming_window(
    window_length: builtins.int, periodic: builtins.bool, alpha: builtins.float, beta: builtins.float, *,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return Hamming's window ``α − β·cos(2πk/n)``."""
@overload
def hann_window(
    window_length: builtins.int, *, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def hann_window(
    window_length: builtins.int, periodic: builtins.bool, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return Hann's window ``½ − ½·cos(2πk/n)``."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Return input where |input| > `lambd`, else 0."""
has_lapack: builtins.bool
has_mkl: builtins.bool
has_openmp: builtins.bool
has_spectral: builtins.bool
def hash_tensor(
    input: Tensor, dim: builtins.int | Sequence[builtins.int] = (), *, keepdim: builtins.bool = False,
    mode: builtins.int = 0, out: Tensor | None = None,
) -> Tensor:
    """Return the exclusive or, over `dim`, of the bits of the elements, as uint64."""
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Step function: 0 below zero, `values` at zero, 1 above."""
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: builtins.float = 1.0, reduction: builtins.int = 0,
) -> Tensor:
    """Return x where the target is 1, max(0, margin − x) where it is −1."""
def histc(
    input: Tensor, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0, *,
    out: Tensor | None = None,
) -> Tensor:
    """Count the elements in each of `bins` equal parts of [min, max] (if equal, of the input's range)."""
@overload
def histogram(
    input: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: builtins.bool = False,
    out: Sequence[Tensor] | None = None,
) -> return_types.histogram: ...
@overload
def histogram(
    input: Tensor, bins: builtins.int = 100, *, range: Sequence[builtins.float] | None = None,
    weight: Tensor | None = None, density: builtins.bool = False, out: Sequence[Tensor] | None = None,
) -> return_types.histogram:
    """Count the elements in each of several intervals."""
@overload
def histogramdd(
    input: Tensor, bins: builtins.int, range: Sequence[builtins.float] | None = None,
    weight: Tensor | None = None, density: builtins.bool = False,
) -> return_types.histogramdd: ...
@overload
def histogramdd(
    input: Tensor, bins: Sequence[builtins.int], range: Sequence[builtins.float] | None = None,
    weight: Tensor | None = None, density: builtins.bool = False,
) -> return_types.histogramdd: ...
@overload
def histogramdd(
    input: Tensor, bins: Sequence[Tensor], range: Sequence[builtins.float] | None = None,
    weight: Tensor | None = None, density: builtins.bool = False,
) -> return_types.histogramdd:
    """Count the points in each cell of a grid."""
def hsmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return `hspmm`, whose older name this is."""
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return parts along axis 1 (axis 0 of a vector)."""
def hspmm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the product of a sparse and a dense matrix: its entries are the rows that are not empty."""
def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return tensors joined along axis 1 (vectors along axis 0)."""
def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return √(input² + other²), without overflow on the way."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0, I₀(x), of each element."""
def i0_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`i0` gives into `input`, and return it."""
def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the lower incomplete gamma function over Γ, P(a, x) = 1/Γ(a)·∫₀ˣ tᵃ⁻¹e⁻ᵗ dt, x being `other`
    (DLMF 8.2.4).
    """
def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the upper incomplete gamma function over Γ, Q(a, x) = 1 − P(a, x), x being `other` (DLMF
    8.2.4).
    """
def imag(input: Tensor) -> Tensor:
    """Return the imaginary part, a view."""
def index_add(
    input: Tensor, dim: builtins.int, index: Any, source: Any, *, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return `input` with ``alpha · source`` added to the slices of axis `dim` that `index` names."""
def index_copy(
    input: Tensor, dim: builtins.int, index: Any, source: Any, *, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with the slices of axis `dim` that `index` names replaced by those of `source`."""
def index_fill(
    input: Tensor, dim: builtins.int, index: Any, value: Any, *, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with one value in the slices of axis `dim` that `index` names."""
def index_put(input: Tensor, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """Return `input` with the elements at `indices` replaced by `values`, or with `values` added there."""
def index_put_(input: Tensor, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """Apply :func:`index_put` in place."""
def index_reduce(
    input: Tensor, dim: builtins.int, index: Any, source: Any, reduce: str, *,
    include_self: builtins.bool = True, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with slices of `source` reduced by `index`: "prod", "mean", "amax" or "amin"."""
def index_select(input: Tensor, dim: builtins.int, index: Any, *, out: Tensor | None = None) -> Tensor:
    """Return slices of axis `dim`, in the order of the vector `index`."""
def indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the `indices` of a sparse tensor."""
inf: builtins.float
def initial_seed() -> builtins.int:
    """Return the seed of the default generator's stream."""
def inner(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return sums of products over the last axes of both."""
def install() -> None:
    """Make `import torch` mean pullback in this process and in the worker processes that it spawns."""
def instance_norm(
    input: Tensor, weight: Tensor, bias: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    use_input_stats: builtins.bool, momentum: builtins.float, eps: builtins.float,
    cudnn_enabled: builtins.bool,
) -> Tensor:
    """Normalise over the axes after the second."""
int: dtype
int1: dtype
int16: dtype
int2: dtype
int3: dtype
int32: dtype
int4: dtype
int5: dtype
int6: dtype
int64: dtype
int7: dtype
int8: dtype
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of square matrices: (…, n, n) -> (…, n, n) (see `torch.linalg.inv`)."""
def is_anomaly_check_nan_enabled() -> builtins.bool:
    """Return whether the mode checks for NaN."""
def is_anomaly_enabled() -> builtins.bool:
    """Return whether the mode is on."""
def is_autocast_cache_enabled() -> builtins.bool:
    """Return whether the casts of weights are kept."""
def is_autocast_cpu_enabled() -> builtins.bool:
    """Return whether autocast is on for the CPU."""
def is_autocast_enabled(device_type: str = 'cuda') -> builtins.bool:
    """Return whether autocast is on for a device's functions."""
def is_complex(input: Tensor) -> builtins.bool:
    """Return whether the dtype is a complex one."""
def is_conj(input: Tensor) -> builtins.bool:
    """Return whether the elements are conjugated when they are read."""
def is_deterministic_algorithms_warn_only_enabled() -> builtins.bool:
    """Return whether they were asked for with ``warn_only=True``."""
def is_distributed(input: Tensor) -> builtins.bool:
    """Return False."""
def is_floating_point(input: Tensor) -> builtins.bool:
    """Return whether the dtype is a real one."""
def is_grad_enabled() -> builtins.bool:
    """Return whether ops record nodes now."""
def is_inference(input: Tensor) -> builtins.bool:
    """Return whether the tensor was made in inference mode."""
def is_inference_mode_enabled() -> builtins.bool:
    """Return whether `inference_mode` is on."""
def is_neg(input: Tensor) -> builtins.bool:
    """Return whether the elements are negated when they are read."""
def is_nonzero(input: Tensor) -> builtins.bool:
    """Return whether the one element is not zero."""
def is_same_size(input: Tensor, other: Tensor) -> builtins.bool:
    """Return whether two tensors have the same shape."""
def is_signed(input: Tensor) -> builtins.bool:
    """Return whether the dtype has negative numbers."""
def is_storage(obj: Any) -> builtins.bool:
    """Return whether an object is a storage."""
def is_tensor(obj: Any) -> builtins.bool:
    """Return whether an object is a tensor."""
def is_vulkan_available() -> builtins.bool:
    """Return False."""
def is_warn_always_enabled() -> builtins.bool:
    """Return whether the warnings that are given once are given each time."""
def isclose(
    input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08,
    equal_nan: builtins.bool = False,
) -> Tensor:
    """Return nearness of each element, ``|input − other| ≤ atol + rtol·|other|``."""
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the elements are neither nan nor infinite."""
def isin(
    elements: Any, test_elements: Any, *, assume_unique: builtins.bool = False, invert: builtins.bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return which of `elements` occur among `test_elements`."""
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the elements are ∞ or −∞; of a complex one either part."""
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the elements are nan; of a complex one either part."""
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the input is −∞."""
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the input is +∞."""
def isreal(input: Tensor) -> Tensor:
    """Return where the imaginary part is 0: everywhere in a real tensor."""
def istft(
    input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True,
    normalized: builtins.bool = False, onesided: builtins.bool | None = None,
    length: builtins.int | None = None, return_complex: builtins.bool = False,
) -> Tensor:
    """Signal from its short-time Fourier transform: the least-squares one (Griffin and Lim 1984)."""
@overload
def kaiser_window(
    window_length: builtins.int, *, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def kaiser_window(
    window_length: builtins.int, periodic: builtins.bool, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def kaiser_window(
    window_length: builtins.int, periodic: builtins.bool, beta: builtins.float, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return Kaiser's window ``I₀(β·√(1 − (2k/n − 1)²))/I₀(β)`` (I₀: DLMF 10.25.2)."""
def kl_div(
    input: Tensor, target: Tensor, reduction: builtins.int = 0, *, log_target: builtins.bool = False,
) -> Tensor:
    """Return the Kullback–Leibler divergence of `target` from `exp(input)`."""
def kron(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the Kronecker product."""
def kthvalue(
    input: Tensor, k: builtins.int, dim: builtins.int = -1, keepdim: builtins.bool = False, *,
    out: Sequence[Tensor] | None = None,
) -> return_types.kthvalue:
    """Return the `k`-th smallest element along `dim`, from 1, and where it is."""
def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: builtins.float = 1e-05, cudnn_enable: builtins.bool = True,
) -> Tensor:
    """Normalise over the last axes."""
def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the least common multiple of both elements: 0 where one is 0."""
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """Write what :func:`lcm` gives into `input`, and return it."""
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ``input · 2^other``."""
def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """Write what :func:`ldexp` gives into `input`, and return it."""
def le(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input ≤ other``: False where one is nan."""
legacy_contiguous_format: memory_format
@overload
def lerp(input: Tensor, end: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def lerp(input: Tensor, end: Tensor, weight: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the mixture ``input + weight·(end − input)``."""
def less(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input < other``: False where one is nan."""
def less_equal(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input ≤ other``: False where one is nan."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the gamma function's size, log |Γ(x)|, of each element."""
@overload
def linspace(
    start: Tensor, end: Tensor, steps: builtins.int, *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def linspace(
    start: _Number, end: Tensor, steps: builtins.int, *, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def linspace(
    start: Tensor, end: _Number, steps: builtins.int, *, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def linspace(
    start: _Number, end: _Number, steps: builtins.int, *, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make `steps` numbers at equal distances, the first `start` and the last `end`."""
def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: builtins.bool | None = None,
    mmap: builtins.bool | None = None, **pickle_load_args: Any,
) -> Any:
    """Read what `save`, here or in torch, wrote."""
def load_frozen(f: Any) -> Any:
    """Read a program that `freeze` has written. Its machine code runs in this process: take it from nobody
    of whom you would not take a program.
    """
def load_ipython_extension(shell: Any) -> None:
    """Let `import torch` give pullback in a notebook: what ``%load_ext pullback`` calls."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the natural logarithm of each element: nan below 0 and −∞ at 0."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to the base 10 of each element: nan below 0 and −∞ at 0."""
def log10_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`log10` gives into `input`, and return it."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(1 + x) of each element, exact near 0."""
def log1p_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`log1p` gives into `input`, and return it."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm to the base 2 of each element: nan below 0 and −∞ at 0."""
def log2_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`log2` gives into `input`, and return it."""
def log_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`log` gives into `input`, and return it."""
def log_softmax(
    input: Tensor, dim: builtins.int, dtype: dtype | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return input − log Σ exp(input) along `dim`; `dtype` casts the input first."""
def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log(eˣ + eʸ), without overflow on the way."""
def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return log₂(2ˣ + 2ʸ), without overflow on the way."""
def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Return log of the running sum of exponentials along `dim`."""
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant, nan where that is negative: (…, n, n) -> (…)."""
def logical_and(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where both elements are other than 0."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the elements are 0."""
def logical_or(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where at least one element is other than 0."""
def logical_xor(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where exactly one element is other than 0."""
def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return log(x / (1 − x))."""
def logit_(input: Tensor, eps: builtins.float | None = None) -> Tensor:
    """Write what :func:`logit` gives into `input`, and return it."""
@overload
def logspace(
    start: Tensor, end: Tensor, steps: builtins.int, base: builtins.float = 10.0, *,
    out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def logspace(
    start: _Number, end: Tensor, steps: builtins.int, base: builtins.float = 10.0, *,
    out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def logspace(
    start: Tensor, end: _Number, steps: builtins.int, base: builtins.float = 10.0, *,
    out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def logspace(
    start: _Number, end: _Number, steps: builtins.int, base: builtins.float = 10.0, *,
    out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make `base` to the powers ``linspace(start, end, steps)``."""
def logsumexp(
    input: Tensor, dim: Any, keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return log Σ exp(input) over `dim`, computed without overflow."""
long: dtype
@overload
def lstm(
    data: Tensor, batch_sizes: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor],
    has_biases: builtins.bool, num_layers: builtins.int, dropout: builtins.float, train: builtins.bool,
    bidirectional: builtins.bool,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def lstm(
    input: Tensor, hx: Sequence[Tensor], params: Sequence[Tensor], has_biases: builtins.bool,
    num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool,
    batch_first: builtins.bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute a long short-term memory; arguments as of :func:`rnn_tanh`, weights as of `lstm_cell`."""
def lstm_cell(
    input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Compute a long short-term memory (Hochreiter and Schmidhuber 1997): (N, I), ((N, H), (N, H)) -> the
    same two.
    """
def lt(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input < other``: False where one is nan."""
def lu(
    A: Any, pivot: builtins.bool = True, get_infos: builtins.bool = False, *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Return LU and pivots (see `torch.linalg.lu_factor`), with `get_infos` also places of zero pivots."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return X with ``A X = input`` (see `torch.linalg.lu_solve`): (…, n, k) -> (…, n, k)."""
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True,
    unpack_pivots: builtins.bool = True, *, out: Sequence[Tensor] | None = None,
) -> return_types.lu_unpack:
    """Return P, L and U from the results of `torch.linalg.lu_factor`; what is not asked for is empty."""
def manual_seed(seed: Any) -> Generator:
    """Start the default generator's stream that belongs to `seed` and return the generator."""
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 0,
) -> Tensor:
    """Return max(0, −y·(x₁ − x₂) + margin)."""
def masked_fill(input: Tensor, mask: Tensor, value: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the input with a value where a mask holds."""
def masked_scatter(input: Tensor, mask: Tensor, source: Any) -> Tensor:
    """Return `input` with the elements where `mask` holds replaced by those of `source`, in order."""
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements where `mask` holds, as a vector."""
def matmul(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product with torch's cases."""
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the exponential of square matrices (see `torch.linalg.matrix_exp`)."""
def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Return a multiplied n times by itself."""
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Sequence[Tensor] | None = None,
) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the largest element; with `dim`, values and indices along it; with a second tensor, element
    by element.
    """
@overload
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, return_indices: builtins.bool = False,
) -> Any:
    """Return the largest value of each window of one axis: (N, C, L) -> (N, C, L')."""
def max_pool1d_with_indices(
    input: Tensor, kernel_size: builtins.int | Sequence[builtins.int],
    stride: builtins.int | Sequence[builtins.int] | None = None,
    padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1,
    ceil_mode: builtins.bool = False,
) -> tuple[Tensor, Tensor]:
    """Return maxima over windows of one axis, ``(N, C, L)``, and their places."""
@overload
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, return_indices: builtins.bool = False,
) -> Any:
    """Return the largest value of each window of two axes: (N, C, H, W) -> (N, C, H', W')."""
@overload
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, return_indices: Literal[False] = ...,
) -> Tensor: ...
@overload
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, *, return_indices: Literal[True],
) -> tuple[Tensor, Tensor]: ...
@overload
def max_pool3d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: builtins.bool = False, return_indices: builtins.bool = False,
) -> Any:
    """Return the largest value of each window of three axes."""
def maximum(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of both elements, and nan where one is nan."""
def mean(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, dtype: dtype | None = None,
) -> Tensor:
    """Return the mean of all elements, or over `dim`."""
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def median(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Sequence[Tensor] | None = None,
) -> return_types.median:
    """Return the lower median of all elements, or values and indices along `dim`."""
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Return views of vectors over the grid that they span."""
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Sequence[Tensor] | None = None,
) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the smallest element; with `dim`, values and indices along it; with a second tensor, element
    by element.
    """
def minimum(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of both elements, and nan where one is nan."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix product: (n, k) @ (k, m) -> (n, m)."""
def mode(
    input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *,
    out: Sequence[Tensor] | None = None,
) -> return_types.mode:
    """Return the most frequent element along `dim` and where it last is."""
def moveaxis(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Return the axes `source` moved to the places `destination`; the others keep their order."""
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Return the axes `source` moved to the places `destination`; the others keep their order."""
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the input sorted along its first axis."""
def mul(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the product ``input · other``."""
def multinomial(
    input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *,
    generator: Generator | None = None, out: Tensor | None = None,
) -> Tensor:
    """Return indices of the last axis, drawn with the weights in it."""
def multiply(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the product ``input · other``."""
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix times vector: (n, k) @ (k,) -> (n,)."""
def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function, log Γₚ(x) (DLMF 35.3.4)."""
nan: builtins.float
def nan_to_num(
    input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None,
    neginf: builtins.float | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return finite numbers instead of nan and the infinities."""
def nan_to_num_(
    input: Tensor, nan: builtins.float | None = None, posinf: builtins.float | None = None,
    neginf: builtins.float | None = None,
) -> Tensor:
    """Write what :func:`nan_to_num` gives into `input`, and return it."""
def nanmean(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the mean of what is not nan."""
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nanmedian(
    input: Tensor, dim: builtins.int, keepdim: builtins.bool = ..., *, out: Sequence[Tensor] | None = None,
) -> return_types.nanmedian:
    """Return the lower median of all elements, or values and indices along `dim`."""
def nanquantile(
    input: Tensor, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear',
    out: Tensor | None = None,
) -> Tensor:
    """Return `quantile` of what is not nan."""
def nansum(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the sum of what is not nan."""
def narrow(input: Tensor, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
    """Return the places start … start + length − 1 of axis `dim`."""
def narrow_copy(
    input: Tensor, dim: builtins.int, start: builtins.int, length: builtins.int, *, out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`narrow` shows: some places of an axis."""
def native_batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: builtins.bool, momentum: builtins.float, eps: builtins.float, *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the batch norm ``(input − mean)·invstd·weight + bias`` of each channel."""
def native_channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Return :func:`channel_shuffle` without a derivative, as torch has it."""
def native_dropout(input: Tensor, p: builtins.float, train: builtins.bool | None) -> tuple[Tensor, Tensor]:
    """Return the input with elements set to 0 with probability `p`, the others divided by 1 - p; and which
    are left.
    """
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: builtins.int, C: builtins.int,
    HxW: builtins.int, group: builtins.int, eps: builtins.float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Group norm ``(input − mean)·rstd`` of each of `group` groups of channels, then weight and bias per
    channel.
    """
def native_layer_norm(
    input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None, bias: Tensor | None,
    eps: builtins.float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the layer norm ``(input − mean)·rstd·weight + bias`` over the last axes."""
def ne(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input ≠ other``: True where one is nan."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return −x of each element."""
def neg_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`neg` gives into `input`, and return it."""
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return −x of each element."""
def negative_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`negative` gives into `input`, and return it."""
newaxis: None
def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the number of the dtype that comes next after `input` towards `other`."""
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[False] = ..., out: Tensor | None = None) -> Tensor: ...
@overload
def nonzero(input: Tensor, *, as_tuple: Literal[True], out: Tensor | None = None) -> tuple[Tensor, ...]: ...
@overload
def nonzero(input: Tensor, *, as_tuple: builtins.bool = False, out: Tensor | None = None) -> Any:
    """Return where elements are not zero: ``(n, rank)`` indices, or with `as_tuple` one vector per axis."""
def nonzero_static(
    input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1, out: Tensor | None = None,
) -> Tensor:
    """Return `nonzero` cut to `size` rows, or filled up to them with `fill_value`."""
def norm(
    input: Tensor, p: Any = 'fro', dim: Any = None, keepdim: builtins.bool = False, out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """Return the vector norm of order `p` over `dim`; ``"fro"`` is Euclidean, ``"nuc"`` the nuclear norm."""
def norm_except_dim(v: Tensor, pow: builtins.int = 2, dim: builtins.int = 0) -> Tensor:
    """Return the norm of order `pow` over all axes but `dim`, which the others stay beside with size 1;
    over all for −1.
    """
@overload
def normal(
    mean: Tensor, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None,
) -> Tensor: ...
@overload
def normal(
    mean: Tensor, std: builtins.float = 1, *, generator: Generator | None = None, out: Tensor | None = None,
) -> Tensor: ...
@overload
def normal(
    mean: builtins.float, std: Tensor, *, generator: Generator | None = None, out: Tensor | None = None,
) -> Tensor: ...
@overload
def normal(
    mean: builtins.float, std: builtins.float, size: Sequence[builtins.int], *,
    generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return normal numbers: ``mean + std·n`` with standard normal n; `mean` and `std` may be tensors."""
def not_equal(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return where ``input ≠ other``: True where one is nan."""
@overload
def nuclear_norm(
    input: Tensor, dim: Sequence[builtins.int], keepdim: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor: ...
@overload
def nuclear_norm(input: Tensor, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the sum of the singular values of matrices."""
def numel(input: Tensor) -> builtins.int:
    """Return the number of elements."""
@overload
def ones(
    *size: builtins.int, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def ones(
    size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor of ones (see `zeros`)."""
def ones_like(
    input: Tensor, *, memory_format: memory_format | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor of ones in the shape, dtype and layout of `input`."""
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the first columns of a product of reflectors (see `torch.linalg.householder_product`)."""
def ormqr(
    input: Tensor, input2: Tensor, input3: Tensor, left: builtins.bool = True,
    transpose: builtins.bool = False, *, out: Tensor | None = None,
) -> Tensor:
    """Return the product of Q, given by reflectors, with a matrix C: ``Q C`` (``Qᴴ C``), or ``C Q``."""
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the matrix inputᵢ·vec2ⱼ of two vectors."""
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06,
    keepdim: builtins.bool = False,
) -> Tensor:
    """Return the norm of order p of x1 − x2 + eps along the last dim."""
def pca_lowrank(
    A: Any, q: builtins.int | None = None, center: builtins.bool = True, niter: builtins.int = 2,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the principal components of the rows of nearly low-rank matrices (see `svd_lowrank`)."""
def pdist(input: Tensor, p: builtins.float = 2) -> Tensor:
    """Return distances ``(Σ |xᵢ − xⱼ|ᵖ)^(1/p)`` of each row to every later: (N, M) -> (N (N − 1) / 2,)."""
def permute(input: Tensor, dims: Any) -> Tensor:
    """Return the axes in the order `dims`."""
def permute_copy(input: Tensor, dims: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`permute` shows: the axes in another order."""
pi: builtins.float
def pinverse(input: Tensor, rcond: builtins.float = 1e-15, *, out: Tensor | None = None) -> Tensor:
    """Return the pseudoinverse, where singular values up to rcond·σ₁ count as 0: (…, m, n) -> (…, n, m)."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Map (…, C·r², H, W) -> (…, C, H·r, W·r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """Map (…, C, H·r, W·r) -> (…, C·r², H, W)."""
def poisson(input: Tensor, generator: Generator | None = None, *, out: Tensor | None = None) -> Tensor:
    """Return the Poisson numbers with the rates in `input`."""
def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: builtins.bool, full: builtins.bool, eps: builtins.float,
    reduction: builtins.int,
) -> Tensor:
    """Return the negative log likelihood of a Poisson distribution."""
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return complex numbers ``abs·exp(i·angle)``; shapes broadcast."""
def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the derivative of order n of ψ, (−1)ⁿ⁺¹·n!·ζ(n + 1, x) (DLMF 5.15.1, 25.11.12)."""
def positive(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the input itself."""
@overload
def pow(input: Tensor, exponent: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def pow(self: _Number, exponent: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def pow(input: Tensor, exponent: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the power ``input ** exponent``."""
def prelu(input: Tensor, weight: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return input where positive, else weight·input, a weight for each channel (dim 1) or one for all."""
preserve_format: memory_format
def prod(
    input: Tensor, dim: Any = ..., keepdim: builtins.bool = False, *, dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the product of all elements, or along `dim`."""
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """Return the smallest dtype that is of the higher category and no smaller than either."""
def put(input: Tensor, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
    """Return `input` with the elements at flat places replaced by those of `source`, or with these added."""
qint32: dtype
qint8: dtype
def qr(input: Tensor, some: builtins.bool = True, *, out: Sequence[Tensor] | None = None) -> return_types.qr:
    """Return ``input = Q R`` (see `torch.linalg.qr`)."""
def quantile(
    input: Tensor, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear',
    out: Tensor | None = None,
) -> Tensor:
    """Return the quantiles `q` of all elements, or along `dim`; the dim of `q` comes first."""
quint2x4: dtype
quint4x2: dtype
quint8: dtype
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element, an angle in radians, in degrees: x·180/π."""
def rad2deg_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`rad2deg` gives into `input`, and return it."""
@overload
def rand(
    *size: builtins.int, generator: Generator | None, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def rand(
    size: Sequence[builtins.int], *, generator: Generator | None, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def rand(
    *size: builtins.int, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def rand(
    size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return numbers from [0, 1), uniformly distributed."""
@overload
def rand_like(
    input: Tensor, *, generator: Generator | None, memory_format: memory_format | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def rand_like(
    input: Tensor, *, memory_format: memory_format | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return uniform numbers in the input's shape."""
@overload
def randint(
    high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None,
    out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint(
    high: builtins.int, size: Sequence[builtins.int], *, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint(
    low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, generator: Generator | None,
    out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint(
    low: builtins.int, high: builtins.int, size: Sequence[builtins.int], *, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return integers from [low, high)."""
@overload
def randint_like(
    input: Tensor, low: builtins.int, high: builtins.int, *, generator: Generator | None,
    memory_format: memory_format | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor, low: builtins.int, high: builtins.int, *, memory_format: memory_format | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor, high: Tensor, *, generator: Generator | None, memory_format: memory_format | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor, high: Tensor, *, memory_format: memory_format | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor, high: builtins.int, *, generator: Generator | None,
    memory_format: memory_format | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randint_like(
    input: Tensor, high: builtins.int, *, memory_format: memory_format | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return integers from [low, high) in the input's shape."""
@overload
def randn(
    *size: builtins.int, generator: Generator | None, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[builtins.int], *, generator: Generator | None, out: Tensor | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randn(
    *size: builtins.int, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randn(
    size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return normal numbers with mean 0 and standard deviation 1 (for complex numbers 1/√2 in each part)."""
@overload
def randn_like(
    input: Tensor, *, generator: Generator | None, memory_format: memory_format | None = None,
    dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randn_like(
    input: Tensor, *, memory_format: memory_format | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return the standard normal numbers in the input's shape."""
@overload
def randperm(
    n: builtins.int, *, generator: Generator | None, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def randperm(
    n: builtins.int, *, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return the integers below `n` in random order."""
def range(
    start: _Number, end: _Number, step: _Number = 1, *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make the numbers ``start + i·step`` up to `end`, which is included (deprecated: see `arange`)."""
def ravel(input: Tensor) -> Tensor:
    """Return all elements along one axis."""
def real(input: Tensor) -> Tensor:
    """Return the real part, a view; a real tensor as it is."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1/x of each element."""
def reciprocal_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`reciprocal` gives into `input`, and return it."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of 0 and each element; nan stays."""
def relu_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`relu` gives into `input`, and return it."""
@overload
def remainder(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def remainder(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def remainder(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return the remainder ``input − other·⌊input/other⌋``, of the sign of `other`."""
def renorm(
    input: Tensor, p: _Number, dim: builtins.int, maxnorm: _Number, *, out: Tensor | None = None,
) -> Tensor:
    """Bring each slice of `dim` whose norm is above `maxnorm` down to it: times ``maxnorm/(norm + 10⁻⁷)``."""
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: builtins.int | None = None, *,
    output_size: builtins.int | None = None,
) -> Tensor:
    """Return each place of axis `dim` (of all elements as one row) repeated, by one count or one a place."""
def reshape(input: Tensor, shape: Any) -> Tensor:
    """Return the same elements in another shape: a view where strides allow it, else a copy. One size may
    be -1.
    """
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """Give the tensor the size of another one (see `resize_`)."""
def resize_as_sparse_(input: Tensor, the_template: Any, *, out: Tensor | None = None) -> Tensor:
    """Give a sparse tensor, in place, the size of another one."""
def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor with its conjugates worked out: itself where they are."""
def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor with its signs worked out: itself where they are."""
@overload
def result_type(tensor: Tensor, other: Tensor) -> dtype: ...
@overload
def result_type(scalar: _Number, tensor: Tensor) -> dtype: ...
@overload
def result_type(tensor: Tensor, other: _Number) -> dtype: ...
@overload
def result_type(scalar1: _Number, scalar2: _Number) -> dtype:
    """Return the dtype that results when two tensors or numbers meet."""
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: builtins.float | None = None,
) -> Tensor:
    """Return input / √(mean(input²) + eps) · weight over the last dims; `eps` is the dtype's by default."""
@overload
def rnn_relu(
    data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool,
    num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_relu(
    input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int,
    dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool,
) -> tuple[Tensor, Tensor]:
    """Return :func:`rnn_tanh` with relu in place of tanh."""
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """Return ``relu(W_ih x + b_ih + W_hh h + b_hh)``: (N, I), (N, H) -> (N, H)."""
@overload
def rnn_tanh(
    data: Tensor, batch_sizes: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool,
    num_layers: builtins.int, dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool,
) -> tuple[Tensor, Tensor]: ...
@overload
def rnn_tanh(
    input: Tensor, hx: Tensor, params: Sequence[Tensor], has_biases: builtins.bool, num_layers: builtins.int,
    dropout: builtins.float, train: builtins.bool, bidirectional: builtins.bool, batch_first: builtins.bool,
) -> tuple[Tensor, Tensor]:
    """Return the Elman's network, ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``."""
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """Return ``tanh(W_ih x + b_ih + W_hh h + b_hh)``: (N, I), (N, H) -> (N, H)."""
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Return axes shifted in a circle; without `dims` the elements as one row."""
def rot90(input: Tensor, k: builtins.int = 1, dims: Sequence[builtins.int] = ...) -> Tensor:
    """Return the plane of two axes turned by k·90°, from the first axis towards the second."""
@overload
def round(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def round(input: Tensor, *, decimals: builtins.int, out: Tensor | None = None) -> Tensor:
    """Return the nearest integer, halves to even; or nearest multiple of 10^−decimals."""
@overload
def round_(input: Tensor) -> Tensor: ...
@overload
def round_(input: Tensor, *, decimals: builtins.int) -> Tensor:
    """Write what :func:`round` gives into `input`, and return it."""
def row_indices_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the `row_indices` of a sparse tensor."""
def row_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return the same as `vstack`."""
def rrelu(
    input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False, inplace: builtins.bool = False,
) -> Tensor:
    """Return `leaky_relu` with slopes drawn between `lower` and `upper` in training, else with their mean."""
def rrelu_(
    input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333,
    training: builtins.bool = False,
) -> Tensor:
    """Return in-place rrelu."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1/√x of each element: nan below 0 and ∞ at 0."""
def rsqrt_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`rsqrt` gives into `input`, and return it."""
@overload
def rsub(input: Tensor, other: Tensor, *, alpha: _Number = 1) -> Tensor: ...
@overload
def rsub(input: Tensor, other: _Number, alpha: _Number = 1) -> Tensor:
    """Return the difference ``other − alpha·input``."""
def save(
    obj: object, f: Any, pickle_module: Any = ..., pickle_protocol: builtins.int = 2,
    _use_new_zipfile_serialization: builtins.bool = True, _disable_byteorder_record: builtins.bool = False,
) -> None:
    """Write an object, with the storages of its tensors, to a file that torch can load."""
def scalar_tensor(
    s: _Number, *, dtype: dtype | None = None, layout: layout | None = None, device: _Device | None = None,
    pin_memory: builtins.bool | None = False, requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor of no dimension from a number."""
def scatter(
    input: Tensor, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None,
    reduce: str | None = None, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with ``src[i, j]`` (or a number) at ``[index[i, j], j]``, for dim 0, others alike."""
def scatter_add(
    input: Tensor, dim: builtins.int, index: Any, src: Any, *, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with ``src[i, j]`` added at ``[index[i, j], j]`` for dim 0, and alike for others."""
def scatter_reduce(
    input: Tensor, dim: builtins.int, index: Any, src: Any, reduce: str, *,
    include_self: builtins.bool = True, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with ``src[i, j]`` reduced into ``[index[i, j], j]`` by sum, prod, mean, amax, amin."""
def searchsorted(
    sorted_sequence: Any, input: Tensor, *, out_int32: builtins.bool = False, right: builtins.bool = False,
    side: str | None = None, sorter: Any = None, out: Tensor | None = None,
) -> Tensor:
    """Return where values go into the rows of a sorted tensor: before equal elements, or after (`right`)."""
def seed() -> builtins.int:
    """Start a stream of the default generator that nobody can foretell and return its seed."""
def segment_reduce(
    data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
    offsets: Tensor | None = None, axis: builtins.int = 0, unsafe: builtins.bool = False,
    initial: _Number | None = None,
) -> Tensor:
    """Reduce neighbouring places of an axis, segment by segment."""
def select(input: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
    """Return the part at `index` of axis `dim`, without that axis."""
def select_copy(
    input: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`select` shows: one place of an axis."""
def select_scatter(input: Tensor, src: Any, dim: builtins.int, index: builtins.int) -> Tensor:
    """Return `input` with the part at `index` of axis `dim` replaced by `src`."""
def selu(input: Tensor) -> Tensor:
    """Return the self-normalising `elu`: scale 1.0507, α 1.6733."""
def selu_(input: Tensor) -> Tensor:
    """Apply `selu` in place."""
def set_anomaly_enabled(enabled: builtins.bool, check_nan: builtins.bool = True) -> None:
    """Switch anomaly detection, and its check for NaN, on or off."""
def set_autocast_cache_enabled(enabled: builtins.bool) -> None:
    """Keep the casts of weights, or do not."""
def set_autocast_cpu_dtype(dtype: dtype | None) -> None:
    """Choose the lower precision of the CPU."""
def set_autocast_cpu_enabled(enabled: builtins.bool) -> None:
    """Switch autocast on or off for the CPU."""
def set_autocast_dtype(device_type: str, dtype: dtype | None) -> None:
    """Choose the lower precision of a device."""
def set_autocast_enabled(device_type: Any, enabled: builtins.bool | None = None) -> None:
    """Switch autocast on or off for a device, CUDA where only the switch is given."""
def set_autocast_gpu_dtype(dtype: dtype | None) -> None:
    """Choose the lower precision of CUDA."""
def set_default_device(device: _Device | None) -> None:
    """Make ``device`` this thread's default, None for the CPU; that of a ``with`` block goes before it."""
def set_default_dtype(d: dtype) -> None:
    """Make ``d``, a floating-point dtype, the one that Python floats become."""
def set_default_tensor_type(t: Any) -> None:
    """Make the dtype of a legacy type, such as ``torch.DoubleTensor`` or its name, the default dtype."""
def set_deterministic_debug_mode(debug_mode: builtins.int | str) -> None:
    """Set the mode by its number or by its name: 'default', 'warn' or 'error'."""
def set_float32_matmul_precision(precision: str) -> None:
    """Allow float32 products to be less precise, which they are not; other names change nothing."""
def set_flush_denormal(mode: builtins.bool) -> builtins.bool:
    """Return False: denormal numbers are kept."""
def set_num_interop_threads(int: Any) -> None:
    """Check the number; ops of one program run one after the other."""
def set_num_threads(int: Any) -> None:
    """Set the number of threads that large ops run on."""
def set_printoptions(
    precision: builtins.int | None = None, threshold: builtins.float | None = None,
    edgeitems: builtins.int | None = None, linewidth: builtins.int | None = None, profile: str | None = None,
    sci_mode: builtins.bool | None = None,
) -> None:
    """Set how tensors print; what is None stays as it is, except ``sci_mode``."""
def set_rng_state(new_state: Any) -> None:
    """Make the default generator continue from a state."""
def set_warn_always(b: builtins.bool) -> None:
    """Make the warnings that are given once be given each time (or not)."""
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the sign of each element; of a complex one its direction x/|x|, and 0 at 0."""
short: dtype
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logistic function 1/(1 + e⁻ˣ) of each element."""
def sigmoid_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`sigmoid` gives into `input`, and return it."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return −1, 0 or 1: the sign of each element."""
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return where the sign is negative, that of −0 and of nan included."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the sine of each element, an angle in radians."""
def sin_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`sin` gives into `input`, and return it."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return sin(πx)/(πx) of each element: 1 at 0."""
def sinc_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`sinc` gives into `input`, and return it."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic sine (eˣ − e⁻ˣ)/2 of each element."""
def sinh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`sinh` gives into `input`, and return it."""
def slice_copy(
    input: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None,
    step: builtins.int = 1, *, out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`slice` shows: places of an axis by start, end and step."""
def slice_scatter(
    input: Tensor, src: Any, dim: builtins.int = 0, start: builtins.int | None = None,
    end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor | None = None,
) -> Tensor:
    """Return `input` with a slice of axis `dim` replaced by `src`."""
def slogdet(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.slogdet:
    """Return the sign and logarithm of the absolute value of the determinant (see `torch.linalg.slogdet`)."""
def smm(mat1: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the product of a sparse and a dense matrix as a sparse one, with an entry for each element of
    the rows that are not empty.
    """
def softmax(
    input: Tensor, dim: builtins.int, dtype: dtype | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return exp(input) / Σ exp(input) along `dim`; `dtype` casts the input first."""
def sort(
    input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, *,
    stable: builtins.bool | None = None, out: Sequence[Tensor] | None = None,
) -> return_types.sort:
    """Return values in order along `dim`, and the indices where they were; equal values keep their order."""
sparse_bsc: layout
def sparse_bsc_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return a sparse tensor in BSC: `sparse_compressed_tensor` of that layout."""
sparse_bsr: layout
def sparse_bsr_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return a sparse tensor in BSR: `sparse_compressed_tensor` of that layout."""
def sparse_compressed_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return a sparse tensor of one of the compressed layouts."""
sparse_coo: layout
@overload
def sparse_coo_tensor(
    indices: Any, values: Any, *, dtype: dtype | None = None, device: _Device | None = None,
    pin_memory: builtins.bool = False, requires_grad: builtins.bool = False,
    check_invariants: builtins.bool | None = None, is_coalesced: builtins.bool | None = None,
) -> Any: ...
@overload
def sparse_coo_tensor(
    indices: Any, values: Any, size: Sequence[builtins.int], *, dtype: dtype | None = None,
    device: _Device | None = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False,
    check_invariants: builtins.bool | None = None, is_coalesced: builtins.bool | None = None,
) -> Any: ...
@overload
def sparse_coo_tensor(
    *size: builtins.int, dtype: dtype | None = None, device: _Device | None = None,
    requires_grad: builtins.bool = False, check_invariants: builtins.bool | None = None,
) -> Any: ...
@overload
def sparse_coo_tensor(
    size: Sequence[builtins.int], *, dtype: dtype | None = None, device: _Device | None = None,
    requires_grad: builtins.bool = False, check_invariants: builtins.bool | None = None,
) -> Any:
    """Return a sparse tensor of coordinates."""
sparse_csc: layout
def sparse_csc_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return a sparse tensor in CSC: `sparse_compressed_tensor` of that layout."""
sparse_csr: layout
def sparse_csr_tensor(*args: Any, **kwargs: Any) -> Tensor:
    """Return a sparse tensor in CSR: `sparse_compressed_tensor` of that layout."""
def split(tensor: Any, split_size_or_sections: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Return parts of one size along axis `dim` (the last may be smaller), or parts of the given sizes."""
def split_copy(
    input: Tensor, split_size: builtins.int, dim: builtins.int = 0, *, out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Copy what :func:`split` shows: parts of one size along an axis."""
def split_with_sizes(
    input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0,
) -> tuple[Tensor, ...]:
    """Return parts of the given sizes along axis `dim`."""
def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0, *,
    out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Copy what :func:`split_with_sizes` shows: parts of given sizes along an axis."""
def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Return an older name of `mm`."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the square root of each element: nan below 0."""
def sqrt_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`sqrt` gives into `input`, and return it."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the square ``input²``, of bool in int64."""
def square_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`square` gives into `input`, and return it."""
def squeeze(input: Tensor, dim: Any = ...) -> Tensor:
    """Return it without the axes of size 1, or without those of `dim` whose size is 1."""
@overload
def squeeze_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor: ...
@overload
def squeeze_copy(input: Tensor, dim: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`squeeze` shows: axes of size 1 removed."""
def sspaddmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: _Number = 1, alpha: _Number = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Return ``beta·input + alpha·(mat1 @ mat2)`` as a tensor of coordinates, `mat1` being one."""
def stack(tensors: Sequence[Tensor], dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return tensors of one shape side by side along a new axis `dim`."""
def std(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: builtins.bool = False, *,
    correction: Any = ..., out: Tensor | None = None,
) -> Tensor:
    """Return the standard deviation √(Σ|x − mean|² / (n − correction)) over `dim`; `unbiased=False` means
    ``correction=0``.
    """
def std_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: builtins.bool = False, *,
    correction: Any = ...,
) -> tuple[Tensor, Tensor]:
    """Return standard deviation and mean over `dim`."""
def stft(
    input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None,
    win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True,
    pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None,
    return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None,
) -> Tensor:
    """Return the short-time Fourier transform ``X[k, m] = Σₙ window[n]·x[n + m·hop]·exp(−2πi·kn/n_fft)``."""
strided: layout
def sub(input: Tensor, other: Any, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Return the difference ``input − alpha·other``."""
def subtract(input: Tensor, other: Any, *, alpha: _Number = 1, out: Tensor | None = None) -> Tensor:
    """Return the difference ``input − alpha·other``."""
def sum(
    input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, dtype: dtype | None = None,
) -> Tensor:
    """Return the sum of all elements, or over `dim`; integers are summed in int64."""
def svd(
    input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True, *,
    out: Sequence[Tensor] | None = None,
) -> return_types.svd:
    """Return ``input = U diag(S) Vᴴ``, with V itself as third result."""
def svd_lowrank(
    A: Any, q: builtins.int | None = 6, niter: builtins.int | None = 2, M: Any = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the singular values and vectors of nearly low-rank matrices, ``A ≈ U diag(S) Vᴴ``, by random
    projection.
    """
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """Return axes `axis0` and `axis1` exchanged."""
def swapdims(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """Return axes `axis0` and `axis1` exchanged."""
def t(input: Tensor) -> Tensor:
    """Return the transpose of a matrix; a vector as it is."""
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`t` shows: a matrix transposed."""
def take(input: Tensor, index: Any, *, out: Tensor | None = None) -> Tensor:
    """Return elements of `input` as one row at the places `index`."""
def take_along_dim(
    input: Tensor, indices: Any, dim: builtins.int | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """Return `gather` with the other axes broadcast; without `dim` from all elements as one row."""
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the tangent of each element, an angle in radians."""
def tan_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`tan` gives into `input`, and return it."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the hyperbolic tangent sinh(x)/cosh(x) of each element."""
def tanh_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`tanh` gives into `input`, and return it."""
def tensor(
    data: Any, *, dtype: dtype | None = None, device: _Device | None = None,
    pin_memory: builtins.bool = False, requires_grad: builtins.bool = False,
) -> Tensor:
    """Make a leaf tensor that holds a copy of the data."""
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: builtins.int = 0, *, indices: Any = None,
    sections: Any = None, tensor_indices_or_sections: Any = None,
) -> tuple[Tensor, ...]:
    """Return parts of nearly equal size along axis `dim`, or parts that end before the given places."""
def tensordot(a: Any, b: Any, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Sum products over pairs of axes."""
def threshold(
    input: Tensor, threshold: builtins.float, value: builtins.float, *, out: Tensor | None = None,
) -> Tensor:
    """Return input where it is above `threshold`, else `value`."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float) -> Tensor:
    """Apply `threshold` in place."""
def tile(input: Tensor, dims: Sequence[builtins.int]) -> Tensor:
    """Return `repeat` with as many leading ones as `dims` lacks."""
def to_dlpack(tensor: Any) -> Tensor:
    """Return a DLPack capsule on the tensor's memory, to be consumed once."""
def topk(
    input: Tensor, k: builtins.int, dim: builtins.int = -1, largest: builtins.bool = True,
    sorted: builtins.bool = True, *, out: Sequence[Tensor] | None = None,
) -> return_types.topk:
    """Return the `k` largest (or smallest) values along `dim` in order, and the indices where they were."""
def trace(input: Tensor) -> Tensor:
    """Return the sum of a matrix's diagonal: (m, n) -> ()."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """Return axes `dim0` and `dim1` exchanged."""
def transpose_copy(
    input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`transpose` shows: two axes exchanged."""
@overload
def trapezoid(y: Tensor, x: Tensor, *, dim: builtins.int = -1) -> Tensor: ...
@overload
def trapezoid(y: Tensor, *, dx: _Number = 1, dim: builtins.int = -1) -> Tensor:
    """Return integral along `dim` by the trapezoidal rule, ``Σᵢ (yᵢ + yᵢ₊₁)/2·(xᵢ₊₁ − xᵢ)``."""
@overload
def trapz(y: Tensor, *, dx: builtins.float = 1, dim: builtins.int = -1) -> Tensor: ...
@overload
def trapz(y: Tensor, x: Tensor, *, dim: builtins.int = -1) -> Tensor:
    """Return integral along `dim` by the trapezoidal rule, ``Σᵢ (yᵢ + yᵢ₊₁)/2·(xᵢ₊₁ − xᵢ)``."""
def triangular_solve(
    input: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False,
    unitriangular: builtins.bool = False, *, out: Sequence[Tensor] | None = None,
) -> return_types.triangular_solve:
    """Return X with ``A X = input``, or ``Aᵀ X = input``, for triangular A, and a copy of A."""
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return zeros above a diagonal of the matrices of the last two axes."""
def tril_indices(
    row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return the places of the lower triangle of a (row, col) matrix, row by row."""
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1.0, p: builtins.float = 2,
    eps: builtins.float = 1e-06, swap: builtins.bool = False, reduction: builtins.int = 0,
) -> Tensor:
    """Return max(0, ‖a − p‖ − ‖a − n‖ + margin)."""
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Return zeros below a diagonal of the matrices of the last two axes."""
def triu_indices(
    row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Return the places of the upper triangle of a (row, col) matrix, row by row."""
def true_divide(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return True quotient ``input/other``: `div` without a rounding mode."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return each element without its fraction: the whole number next to it towards 0."""
def trunc_(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Write what :func:`trunc` gives into `input`, and return it."""
def typename(obj: Any) -> str:
    """Return the name of a tensor's type, of a class or of an object's class, with its module."""
uint1: dtype
uint16: dtype
uint2: dtype
uint3: dtype
uint32: dtype
uint4: dtype
uint5: dtype
uint6: dtype
uint64: dtype
uint7: dtype
uint8: dtype
def unbind(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Return the parts along axis `dim`, each without it."""
def unbind_copy(
    input: Tensor, dim: builtins.int = 0, *, out: Sequence[Tensor] | None = None,
) -> tuple[Tensor, ...]:
    """Copy what :func:`unbind` shows: the parts along an axis."""
def unflatten(input: Tensor, dim: builtins.int, sizes: Sequence[builtins.int]) -> Tensor:
    """Return the axis `dim` as several axes of `sizes`; one size may be -1."""
def unfold_copy(
    input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int, *,
    out: Tensor | None = None,
) -> Tensor:
    """Copy what :func:`unfold` shows: windows along an axis."""
@overload
def unique(
    input: Tensor, sorted: builtins.bool = True, return_inverse: Literal[False] = ...,
    return_counts: Literal[False] = ..., dim: builtins.int | None = None,
) -> Tensor: ...
@overload
def unique(
    input: Tensor, sorted: builtins.bool = True, return_inverse: Literal[False] = ..., *,
    return_counts: Literal[True], dim: builtins.int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor, sorted: builtins.bool = True, *, return_inverse: Literal[True],
    return_counts: Literal[False] = ..., dim: builtins.int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor, sorted: builtins.bool = True, *, return_inverse: Literal[True],
    return_counts: Literal[True], dim: builtins.int | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique(
    input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False,
    return_counts: builtins.bool = False, dim: builtins.int | None = None,
) -> Any:
    """Return the distinct values (or slices along `dim`) in order; on request places and counts, too."""
@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[False] = ..., return_counts: Literal[False] = ...,
    dim: builtins.int | None = None,
) -> Tensor: ...
@overload
def unique_consecutive(
    input: Tensor, return_inverse: Literal[False] = ..., *, return_counts: Literal[True],
    dim: builtins.int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor, *, return_inverse: Literal[True], return_counts: Literal[False] = ...,
    dim: builtins.int | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor, *, return_inverse: Literal[True], return_counts: Literal[True],
    dim: builtins.int | None = None,
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def unique_consecutive(
    input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False,
    dim: builtins.int | None = None,
) -> Any:
    """Return the values (or slices along `dim`) without those equal to the one before."""
def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """Return places in an array of a shape as one index per axis."""
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Return at most `chunks` parts of one size along axis `dim` (see :func:`unsafe_split`)."""
def unsafe_split(input: Tensor, split_size: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Return parts of one size along axis `dim`, as :func:`split` gives them, which autograd takes for no
    views.
    """
def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[builtins.int], dim: builtins.int = 0,
) -> tuple[Tensor, ...]:
    """Return parts of given sizes along axis `dim` (see :func:`unsafe_split`)."""
def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """Return it with a new axis of size 1 at `dim`."""
def unsqueeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`unsqueeze` shows: a new axis of size 1."""
def use_deterministic_algorithms(mode: builtins.bool, *, warn_only: builtins.bool = False) -> None:
    """Ask for deterministic algorithms, which all are."""
def values_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return a copy of the `values` of a sparse tensor."""
def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """Return powers of a vector as columns: ``x**(N - 1), …, x, 1``, or the other way round."""
def var(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: builtins.bool = False, *,
    correction: Any = ..., out: Tensor | None = None,
) -> Tensor:
    """Return the variance Σ|x − mean|² / (n − correction) over `dim`; `unbiased=False` means
    ``correction=0``.
    """
def var_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: builtins.bool = False, *,
    correction: Any = ...,
) -> tuple[Tensor, Tensor]:
    """Return variance and mean over `dim`."""
def vdot(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return Σ conj(inputᵢ)·otherᵢ of two vectors of one length."""
def view_as_complex(input: Tensor) -> Tensor:
    """Return a real tensor of shape (…, 2) as a complex one of shape (…)."""
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`view_as_complex` shows: pairs as complex numbers."""
def view_as_real(input: Tensor) -> Tensor:
    """Return a complex tensor of shape (…) as a real one of shape (…, 2)."""
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`view_as_real` shows: complex numbers as pairs."""
@overload
def view_copy(input: Tensor, dtype: dtype, *, out: Tensor | None = None) -> Tensor: ...
@overload
def view_copy(input: Tensor, size: Sequence[builtins.int], *, out: Tensor | None = None) -> Tensor:
    """Copy what :func:`view` shows: another shape or dtype."""
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Return parts along axis 0."""
def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """Return tensors, vectors as rows, joined along axis 0."""
@overload
def where(condition: Tensor, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]: ...
@overload
def where(
    condition: Tensor, input: Tensor | _Number, other: Tensor | _Number, *, out: Tensor | None = None,
) -> Tensor:
    """Return elements of `input` where `condition` holds, else of `other`; of a lone condition the places."""
def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Tensor:
    """Loop as long as a condition holds: ``while cond_fn(*val): val = body_fn(*val)``."""
@overload
def xlogy(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlogy(self: _Number, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def xlogy(input: Tensor, other: _Number, *, out: Tensor | None = None) -> Tensor:
    """Return x·log(y), 0 where x is 0 and y not nan."""
@overload
def xlogy_(input: Tensor, other: Tensor) -> Tensor: ...
@overload
def xlogy_(input: Tensor, other: _Number) -> Tensor:
    """Write what :func:`xlogy` gives into `input`, and return it."""
def zero_(input: Tensor) -> Tensor:
    """Write 0 into every element; return the tensor."""
@overload
def zeros(
    *size: builtins.int, out: Tensor | None = None, dtype: dtype | None = None, layout: layout | None = None,
    device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor: ...
@overload
def zeros(
    size: Sequence[builtins.int], *, out: Tensor | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor of zeros."""
def zeros_like(
    input: Tensor, *, memory_format: memory_format | None = None, dtype: dtype | None = None,
    layout: layout | None = None, device: _Device | None = None, pin_memory: builtins.bool | None = False,
    requires_grad: builtins.bool | None = False,
) -> Tensor:
    """Make a tensor of zeros in the shape, dtype and layout of `input`."""
