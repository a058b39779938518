"""Random numbers under torch's names: generators, functions that make random tensors, draws in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array import random as streams
from ..array.deferred_import import import_later
from ..array.dtype_words import not_implemented, type_word
from ..core.batched import mappings
from ..core.device import CPU, META, as_device
from ..core.device import device as _device
from ..core.meta import drawn_for, looked_at
from ..core.tracer import Tracer, is_tracing, traced
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..errors import with_note
from ..ops import convert
from ..ops import random as ops
from ..ops import random_mapped as mapped
from ..ops.elementwise import log1p
from .api import with_signature
from .creation import check_options, creator, leaf, made, new_array, numpy_dtype
from .creation_like import array_like, meta_like, place
from .inline_cache import cache
from .memory_format import clone
from .meta import meta_tensor
from .out import write_out
from .signature import OPTIONS, OUT

random_integer = import_later("..array.random_integer", __package__)

GENERATOR = "torch.Generator generator = None"
#: Weights of a row up to which a program draws by ops that have loops.
_BY_PARTS = 1 << 20


#: What torch built for the CPU adds to its refusal of a generator for CUDA.
_NO_CUDA_LIBRARY = (
    " PyTorch splits its backend into two shared libraries: a CPU library and a CUDA library; this error has "
    "occurred because you are trying to use some CUDA functionality, but the CUDA library has not been "
    "loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF you don't "
    "directly use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in "
    "your link arguments; many dynamic linkers will delete dynamic library dependencies if you don't depend "
    "on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if "
    "there is a dependency on *_cuda.so library."
)


class Generator(streams.Generator):
    """A stream of random numbers: MT19937 with torch's conversions, so that equal seeds give torch's numbers.

    Parameters
    ----------
    device : device or str
        ``'cpu'``.
    """

    __module__ = "torch._C"
    __slots__ = ()

    def __init__(self, device: Any = "cpu") -> None:
        try:
            place = as_device(device, "Generator")
        except AssertionError as error:
            kind = _device(device).type.upper()
            text = f"Cannot get {kind} generator without ATen_{kind.lower()} library."
            if kind == "CUDA":
                text += _NO_CUDA_LIBRARY
            raise with_note(RuntimeError(text), *error.__notes__) from None
        super().__init__(place)

    def get_state(self) -> Any:
        """Return the state, 5056 bytes that torch's generator accepts too, as a uint8 tensor."""
        return wrap(super().get_state())

    def set_state(self, new_state: Any, /) -> Self:
        """Continue from a state."""
        super().set_state(array_of(new_state) if isinstance(new_state, TensorBase) else new_state)
        return self

    def __reduce__(self) -> Any:
        return _restored, (self.get_state(),)


def _restored(state: Any) -> Generator:
    return Generator().set_state(state)


default_generator = Generator(CPU)
default_generator.manual_seed(streams.default_generator.initial_seed())
cache.streams.append(default_generator)


def manual_seed(seed: Any) -> Generator:
    """Start the default generator's stream that belongs to `seed` and return the generator."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Start a stream of the default generator that nobody can foretell and return its seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """Return the seed of the default generator's stream."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """Return the default generator's state as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Make the default generator continue from a state."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(
    devices: Any = None, enabled: bool = True, _caller: str = "fork_rng", _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Iterator[None]:
    """Put the default generator's state back at the end of the ``with`` block."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def _of(generator: Any) -> Any:
    return default_generator if generator is None else generator


def _drawn(draw: ops.Draw, array: ndarray, generator: Any, *numbers: Any) -> Any:
    """Fill a new array with random numbers; inside vmap a tensor for every row, or one for all."""
    stream = _of(generator)
    if not mappings.get():
        if _is_noted():
            return _written_down(draw, array.shape, array.dtype, stream, *numbers)
        return draw.kernel(stream, array, *numbers)
    around = mapped.current()
    return mapped.draw(lambda whole: draw.kernel(stream, whole, *numbers), array.shape, array.dtype, around)


def _is_noted() -> bool:
    """Return whether draws are noted as ops: of a program, or of a call whose plan is made."""
    return is_tracing() or drawn_for.get() is not None


def _written_down(draw: ops.Draw, shape: tuple[int, ...], dtype: Any, stream: Any, *numbers: Any) -> Any:
    """Return a new tensor that each run of the program that is being written down draws anew."""
    return draw.call(wrap(np.broadcast_to(np.zeros((), dtype), shape)), *numbers, stream)


def _drawn_like(
    draw: ops.Draw, name: str, input: Any, generator: Any, options: dict[str, Any], requires_grad: bool,
    *numbers: Any,
) -> Any:  # fmt: skip
    """Return the same in the shape of a tensor, which inside vmap also gives the order of the numbers."""
    if drawn_for.get() is not None:
        like = wrap(array_like(name, input, **options))
        return leaf(draw.call(like, *numbers, _of(generator)), requires_grad)
    if place(name, input, options["device"], options["pin_memory"]) is META:
        return meta_like(input, options["dtype"], options["memory_format"], requires_grad)
    array = array_like(name, input, **options)
    if not mappings.get() and not is_tracing():
        return made(draw.kernel(_of(generator), array, *numbers), requires_grad)
    like = convert.as_dtype(input.detach(), array.dtype)
    if not mappings.get():
        # Draws follow memory: a view is drawn for as eager does, in an array of its own.
        like = clone(like, memory_format=options["memory_format"])
    return leaf(draw.call(like, *numbers, _of(generator)).detach(), requires_grad)


# --- new tensors --------------------------------------------------------------------------------------------

_SIZED = (f"(tuple of ints size, *, torch.Generator? generator, {OUT})", f"(tuple of ints size, *, {OUT})")


@creator("rand", *_SIZED)
def rand(size: Any, *, generator: Any = None, dtype: Any = None) -> Any:
    """Return numbers from [0, 1), uniformly distributed.

    Parameters
    ----------
    size : ints or tuple of ints
    generator : Generator, optional
        The default one where it is left out.
    """
    return _drawn(ops.uniform, new_array(size, dtype), generator, 0.0, 1.0)


@creator("randn", *_SIZED)
def randn(size: Any, *, generator: Any = None, dtype: Any = None) -> Any:
    """Return normal numbers with mean 0 and standard deviation 1 (for complex numbers 1/√2 in each part)."""
    return _drawn(ops.normal, new_array(size, dtype), generator, 0.0, 1.0)


@creator(
    "randint",
    f"(int[] high, tuple of ints size, *, torch.Generator? generator, {OUT})",
    f"(int[] high, tuple of ints size, *, {OUT})",
    f"(int[] low, int[] high, tuple of ints size, *, torch.Generator? generator, {OUT})",
    f"(int[] low, int[] high, tuple of ints size, *, {OUT})",
)
def randint(high: int, size: Any, low: int = 0, *, generator: Any = None, dtype: Any = None) -> Any:
    """Return integers from [low, high)."""
    array = new_array(size, dtypes.int64 if dtype is None else dtype)
    return _drawn(ops.random_between, array, generator, low, high)


@creator("randperm", f"(int[] n, *, torch.Generator? generator, {OUT})", f"(int[] n, *, {OUT})")
def randperm(n: int, *, generator: Any = None, dtype: Any = None) -> Any:
    """Return the integers below `n` in random order."""
    chosen = np.dtype(np.int64) if dtype is None else dtype.numpy
    stream = _of(generator)
    if mappings.get():
        return mapped.draw_rows(lambda: random_integer.randperm(stream, n, chosen), mapped.current())
    if _is_noted():
        random_integer.check_permutation(n, chosen)
        return _written_down(ops.randperm, (n,), chosen, stream)
    return random_integer.randperm(stream, n, chosen)


_OPTIONS_LIKE = f"torch.memory_format memory_format = None, {OPTIONS})"
#: torch has each of these functions with a generator and without.
_ENDS_LIKE = (f", *, torch.Generator? generator, {_OPTIONS_LIKE}", f", *, {_OPTIONS_LIKE}")
_LIKE = [f"(Tensor input{end}" for end in _ENDS_LIKE]


@with_signature(*_LIKE, method=False, out=False)
def rand_like(
    input: Any, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, memory_format: Any = None,
) -> Any:
    """Return uniform numbers in the input's shape."""
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "memory_format": memory_format}
    return _drawn_like(ops.uniform, "rand_like", input, generator, options, requires_grad, 0.0, 1.0)


@with_signature(*_LIKE, method=False, out=False)
def randn_like(
    input: Any, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, memory_format: Any = None,
) -> Any:
    """Return the standard normal numbers in the input's shape."""
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "memory_format": memory_format}
    return _drawn_like(ops.normal, "randn_like", input, generator, options, requires_grad, 0.0, 1.0)


@with_signature(method=False, out=False)
def randint_like(
    input: Any, high: Any, low: int = 0, *, generator: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False, requires_grad: bool = False, memory_format: Any = None,
) -> Any:
    """Return integers from [low, high) in the input's shape."""
    if isinstance(high, TensorBase):
        if shape_of(high):
            raise RuntimeError("high must be a scalar tensor and on CPU")
        high = int(array_of(high))
    options = {"dtype": dtype, "device": device, "pin_memory": pin_memory, "memory_format": memory_format}
    return _drawn_like(
        ops.random_between, "randint_like", input, generator, options, requires_grad, low, high
    )


@with_signature(method=False)
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None,
    layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
) -> Any:
    """Return normal numbers: ``mean + std·n`` with standard normal n; `mean` and `std` may be tensors."""
    stream = _of(generator)
    if size is not None:
        if device is not None and as_device(device, "normal") is META:
            return meta_tensor(size, numpy_dtype(dtype), None, requires_grad)
        check_options("normal", CPU, pin_memory)
        found = _drawn(ops.normal, new_array(size, dtype), generator, mean, std)
        return leaf(found, requires_grad)
    if isinstance(std, TensorBase):
        _check_std(std)
        return (
            ops.normal_each(mean, std, stream)
            if isinstance(mean, TensorBase)
            else ops.normal_wide(std, mean, stream)
        )
    return ops.normal_around(mean, std, stream)


def _check_std(std: Any) -> None:
    if dtype_of(std).kind in "cW":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    looked_at(std, _check_deviations)


def _check_deviations(std: ndarray) -> None:
    if std.size and not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


@with_signature()
def bernoulli(input: Any, p: float | None = None, *, generator: Any = None) -> Any:
    """Return ones with the probabilities in `input` (or `p` for all), else zeros."""
    if p is not None:
        return ops.bernoulli_number.call(input, p, _of(generator)).detach()
    return ops.bernoulli(input, _of(generator))


@with_signature(out=False)
def multinomial(
    input: Any, num_samples: int, replacement: bool = False, *, generator: Any = None, out: Any = None
) -> Any:
    """Return indices of the last axis, drawn with the weights in it.

    Parameters
    ----------
    input : tensor (n,) or (m, n)
        Weights, which need not sum to 1.
    num_samples : int
    replacement : bool
        Whether an index may be drawn again.

    Returns
    -------
    tensor (num_samples,) or (m, num_samples), int64
    """
    if out is not None and dtype_of(out) != np.int64:
        have = dtypes.from_numpy_dtype(dtype_of(out)).scalar_type
        raise RuntimeError(f"multinomial expects Long tensor out, got: {have}")
    if not mappings.get():
        input = traced(input)
    shape, is_noted = shape_of(input), isinstance(input._value, Tracer)
    takes = is_noted and len(shape) in (1, 2) and 0 not in shape and dtype_of(input).kind in "fV"
    if takes and 0 < num_samples <= (1 if replacement else shape[-1]) and shape[-1] <= _BY_PARTS:
        result = _by_parts(input, num_samples, _of(generator))
    else:
        result = ops.multinomial(input, num_samples, replacement, _of(generator))
    return result if out is None else write_out(out, result, "multinomial")


def _by_parts(weights: Any, count: int, generator: Any) -> Any:
    """Return what `multinomial` draws in a trace by ops that have loops: p/q with exponential q, in order."""
    wide = convert.cast(weights, np.dtype(np.float64))
    noise = -log1p(-ops.uniform.call(wide, 0.0, 1.0, generator))
    ratio = ops.drawn_from(weights) / convert.cast(noise, dtype_of(weights))
    if count == 1:
        return ratio.argmax(-1, keepdim=True)
    return ratio.sort(-1, descending=True, stable=True).indices[..., :count].clone()  # no view, as in eager


@with_signature(method=False)
def poisson(input: Any, generator: Any = None) -> Any:
    """Return the Poisson numbers with the rates in `input`."""
    return ops.poisson(input, _of(generator))


@with_signature(method=False, out=False)
def binomial(count: Any, prob: Any, generator: Any = None) -> Any:
    """Draw how many of `count` trials succeed, each with probability `prob`; the two broadcast.

    Parameters
    ----------
    count : Tensor
        Numbers of trials, of a floating-point dtype.
    prob : Tensor
        Probabilities, of the same dtype.
    """
    kinds = dtype_of(count), dtype_of(prob)
    if kinds[0].kind not in "fV":
        raise ValueError(
            f"binomial only supports floating-point dtypes for count, got: {type_word(kinds[0])}"
        )
    if kinds[0] != kinds[1]:
        raise RuntimeError(f"Found dtype {type_word(kinds[1])} but expected {type_word(kinds[0])}")
    return ops.binomial(count, prob, _of(generator))


@with_signature(f"(Tensor input, {GENERATOR})", method=False, out=False)
def _standard_gamma(input: Any, generator: Any = None) -> Any:
    """Return gamma numbers of rate 1 with the concentrations in `input`; they have implicit gradients."""
    return ops.standard_gamma(input, _of(generator))


@with_signature("(Tensor input, Tensor output)", method=False, out=False)
def _standard_gamma_grad(input: Any, output: Any) -> Any:
    """Return how gamma numbers `output` of rate 1 move with the concentrations `input` of their draw."""
    kinds = _floats((input, output), "_standard_gamma_grad_cpu")
    if kinds[0] != kinds[1]:
        raise RuntimeError(f"Found dtype {type_word(kinds[1])} but expected {type_word(kinds[0])}")
    return ops.standard_gamma_grad(input, output)


@with_signature(f"(Tensor input, {GENERATOR})", method=False, out=False)
def _sample_dirichlet(input: Any, generator: Any = None) -> Any:
    """Return numbers whose last axis has the Dirichlet distribution with the concentrations in `input`."""
    return ops.dirichlet(input, _of(generator))


@with_signature("(Tensor x, Tensor alpha, Tensor total)", method=False, out=False)
def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    """Return dx/dα of Dirichlet numbers before their sum is kept at 1; `total` is the sum of all α."""
    _floats((x, alpha, total), "_dirichlet_grad_cpu")
    return ops.dirichlet_grad(x, alpha, total)


def _floats(tensors: tuple[Any, ...], kernel: str) -> list[Any]:
    """Return the tensors' dtypes, or torch's error where the first has no kernel."""
    kinds = [dtype_of(t) for t in tensors]
    if kinds[0] not in (np.float32, np.float64):
        raise not_implemented(kernel, kinds[0])
    return kinds


@with_signature(method=False, out=False)
def native_dropout(input: Any, p: float, train: bool | None) -> tuple[Any, Any]:
    """Return the input with elements set to 0 with probability `p`, the others divided by 1 - p; and which
    are left.
    """
    if 0 in shape_of(input):
        return input, input.clone()
    if train is False:
        return input.clone(), wrap(np.ones(shape_of(input), np.bool_))
    if dtype_of(input).kind in "biu":
        word = type_word(dtype_of(input))
        raise RuntimeError(f"result type Float can't be cast to the desired output type {word}")
    like = input.detach()
    noise = ops.dropout_noise.call(like.real if like.is_complex() else like, p, default_generator)
    return input * noise, noise.bool()


#: torch's top level has these as they are.
FUNCTIONS: dict[str, Any] = {
    "Generator": Generator, "default_generator": default_generator, "manual_seed": manual_seed, "seed": seed,
    "initial_seed": initial_seed, "get_rng_state": get_rng_state, "set_rng_state": set_rng_state,
}  # fmt: skip
