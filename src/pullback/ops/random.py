"""Random draws as ops.

An op here takes the tensor that it draws for as an input, although only its shape, dtype and layout matter:
so a recorded program draws anew each time it runs, and an in-place draw has a node, which sends zeros back.
Every op has the generator as its last attribute. Kernels that few programs use are imported where they are
called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array.deferred_import import import_later
from ..array.locks import computed
from ..array.strides import restrided
from ..core.batched import mappings
from ..core.meta import drawn_for
from ..core.op import Call, T, Term, Terms, elementwise, like_first, op
from ..core.promotion import HALVES, check_broadcast, unsupported
from ..core.tracer import traced
from ..core.underivable import no_tangent, not_implemented
from ..core.value import dtype_of, shape_of
from . import random_mapped as mapped
from .comparison import zeros_of
from .convert import as_dtype
from .kernels import into
from .structure import expand, permute_to_front, reshape

if TYPE_CHECKING:
    from ..array.random import Generator

random_integer = import_later("..array.random_integer", __package__)
random_normal = import_later("..array.random_normal", __package__)
random_transform = import_later("..array.random_transform", __package__)
random_uniform = import_later("..array.random_uniform", __package__)


def _no_derivative(g: Term) -> Term:
    return zeros_of(g)


def laid_out_like(x: ndarray) -> ndarray:
    """Return a new array with the shape, dtype and strides of `x`: draws follow the order of memory."""
    if x.flags.c_contiguous or 0 in x.strides:
        return np.empty(x.shape, x.dtype)
    span = 1 + sum((size - 1) * abs(stride) for size, stride in zip(x.shape, x.strides)) // x.itemsize
    return restrided(np.empty(span, x.dtype), x.shape, tuple(map(abs, x.strides)))


#: Names of the ops whose input only says what to draw, not from what.
DRAWS: set[str] = set()


def _weighing(call: Callable[..., Any], inputs: int = 1) -> Callable[..., Any]:
    """Wrap a random op that needs the values of its inputs, for the levels of vmap; a program that is being
    written down has a draw by constants, too.
    """

    def weighing(*args: Any) -> Any:
        given = args[:inputs]
        if mappings.get():
            if inputs > 1:
                shape = np.broadcast_shapes(*map(shape_of, given))
                given = tuple(expand(x, shape) for x in given)
            given = mapped.prepared(given, mapped.current())
        return call(traced(given[0]), *given[1:], *args[inputs:])

    return weighing


def _same_attributes(size: int, *attributes: Any) -> tuple[Any, ...]:
    return attributes


def _zero_tangent(primals: Terms, tangents: Terms, out: Term, *attributes: Any) -> Term:
    return zeros_of(out)


class Draw:
    """A way to fill an array with random numbers.

    ``kernel(generator, array, *numbers)`` is a function of the module that `kernels` loads when something is
    first drawn, by default the one of the op's name; the `operands` among the numbers are tensors of one
    element and not attributes.
    """

    def __init__(
        self, name: str, kernels: Any, attrs: tuple[str, ...], node_name: str, kernel: str = "",
        operands: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self._kernels, self._name = kernels, kernel or name

        def draw(x: ndarray, /, *parameters: Any) -> ndarray:
            *numbers, generator = parameters
            if operands:
                numbers = [n.item() for n in numbers]
            return self.kernel(generator, laid_out_like(x), *numbers)

        DRAWS.add(name)
        self._recorded = op(
            name, draw, (_no_derivative, *(None for _ in operands)), inputs=("x", *operands),
            attrs=(*attrs, "generator"), node_name=node_name,
            jvp=_zero_tangent, batch=_same_attributes, shape=like_first,
        )  # fmt: skip

    @computed
    def kernel(self) -> Callable[..., ndarray]:
        """Return what fills an array: ``kernel(generator, array, *numbers)``."""
        found: Callable[..., ndarray] = getattr(self._kernels, self._name)
        return found

    def call(self, x: Any, *parameters: Any) -> Any:
        """Return a new value in the shape, dtype and layout of `x`; the last parameter is the generator."""
        if not mappings.get():
            stand_in = drawn_for.get()
            return self._recorded(traced(x) if stand_in is None else stand_in(x), *parameters)
        around = mapped.current()
        if not mapped.shares_rows(x, around):
            return self._recorded(*mapped.prepared((x,), around), *parameters)
        *numbers, generator = parameters
        return mapped.draw(
            lambda array: self.kernel(generator, array, *numbers), shape_of(x), dtype_of(x), around
        )


uniform = Draw("uniform", random_uniform, ("low", "high"), "UniformBackward0")
normal = Draw("normal", random_normal, ("mean", "std"), "NormalBackward0")
log_normal = Draw("log_normal", random_normal, ("mean", "std"), "LogNormalBackward0")
exponential = Draw("exponential", random_transform, ("rate",), "ExponentialBackward0")
cauchy = Draw("cauchy", random_transform, ("median", "sigma"), "CauchyBackward0")
geometric = Draw("geometric", random_transform, ("p",), "GeometricBackward0")
random = Draw("random", random_integer, (), "RandomBackward2")
random_below = Draw("random_below", random_integer, ("high",), "RandomBackward1")
random_between = Draw("random_between", random_integer, ("low", "high"), "RandomBackward0")
randperm = Draw("randperm", random_integer, (), "RandpermBackward0", "permute")
bernoulli_number = Draw("bernoulli_number", random_transform, ("p",), "BernoulliBackward2", "bernoulli")

#: What dropout multiplies its input with: 1/(1 - p) with probability 1 - p, else 0.
dropout_noise = Draw("dropout_noise", random_transform, ("p",), "BernoulliBackward2")

def _reseed(seed: ndarray, /, generator: Generator) -> ndarray:
    generator.manual_seed(int(seed.flat[-1]))
    return seed.copy()


#: The seed, with which the generator begins a stream, as a program does in the order of its draws; of several
#: one comes after the other.
reseed = op("reseed", _reseed, attrs=("generator",), batch=_same_attributes, shape=like_first)


#: Ones with the probabilities that the input gives, and zeros.
bernoulli = _weighing(
    op(
        "bernoulli",
        lambda p, /, generator: random_transform.bernoulli(generator, np.empty(p.shape, p.dtype), p),
        (_no_derivative,), node_name="BernoulliBackward0", jvp=_zero_tangent, batch=_same_attributes,
    )
)  # fmt: skip


#: Its first input says what to draw; the second is needed.
DRAWS.add("bernoulli_each")
_bernoulli_each_op = op(
    "bernoulli_each",
    lambda x, p, /, generator: random_transform.bernoulli(generator, laid_out_like(x), p),
    (_no_derivative, _no_derivative), node_name="BernoulliBackward1",
    jvp=_zero_tangent, batch=_same_attributes,
)  # fmt: skip


def bernoulli_each(x: T, p: Any, generator: Generator) -> T:
    """Return ones with the probabilities `p`, which broadcast, and zeros, in the shape and dtype of `x`."""
    if not mappings.get():
        return _bernoulli_each_op(traced(x), p, generator)
    return as_dtype(bernoulli(expand(p, shape_of(x)), generator), dtype_of(x))


def _normal_around(mean: ndarray, /, std: float, generator: Generator) -> ndarray:
    out = random_normal.normal(generator, np.empty(mean.shape, mean.dtype), 0.0, std)
    return np.add(out, mean, out=out)


def _normal_wide(std: ndarray, /, mean: float, generator: Generator) -> ndarray:
    out = random_normal.normal(generator, np.empty(std.shape, std.dtype))
    out *= std
    out += std.dtype.type(mean)
    return out


def _normal_each(mean: ndarray, std: ndarray, /, generator: Generator) -> ndarray:
    check_broadcast((mean, std))
    out = np.empty(np.broadcast_shapes(mean.shape, std.shape), mean.dtype)
    random_normal.normal(generator, out)
    out *= std
    out += mean
    return out


def _declared(kernel: Callable[..., ndarray], node_name: str, inputs: int = 1) -> Callable[..., Any]:
    """Declare an op that draws by the values of its inputs, named as its kernel."""
    return _weighing(
        op(
            kernel.__name__[1:], kernel, (_no_derivative,) * inputs, node_name=node_name, jvp=_zero_tangent,
            batch=_same_attributes,
        ),
        inputs,
    )  # fmt: skip


#: Normal numbers with a mean for each element and one standard deviation.
normal_around = _declared(_normal_around, "NormalBackward1")
#: Normal numbers with one mean and a standard deviation for each element.
normal_wide = _declared(_normal_wide, "NormalBackward2")
#: Normal numbers with a mean and a standard deviation for each element; shapes broadcast.
normal_each = _declared(_normal_each, "NormalBackward3", inputs=2)


def _multinomial(p: ndarray, /, count: int, replacement: bool, generator: Generator) -> ndarray:
    from ..array import random_choice

    # Of an expanded array the kernel's own noise would lie in another order than torch's.
    whole = p.copy() if 0 in p.strides else p
    return random_choice.multinomial(generator, whole, count, replacement)


def _multinomial_batched(
    size: int, values: Terms, dims: tuple[Any, ...], count: int, replacement: bool, generator: object
) -> Term:
    p = permute_to_front(values[0], dims[0])
    shape = shape_of(p)
    drawn = _multinomial_op(reshape(p, (int(np.prod(shape[:-1])), shape[-1])), count, replacement, generator)
    return reshape(drawn, (*shape[:-1], count))


_multinomial_op = op(
    "multinomial", _multinomial, batch_rule=_multinomial_batched,
    shape=lambda p, count, *attrs: (((*p.shape[:-1], count), np.dtype(np.int64)),),
)  # fmt: skip
#: Indices drawn with the weights in the last axis.
multinomial = _weighing(_multinomial_op)


def _drawn_from(p: ndarray, /) -> ndarray:
    from ..array import random_choice

    random_choice.check_weights(p)
    return p.copy()


#: The same numbers, refused where rows of them are nothing to draw from: a program asks when it runs.
drawn_from = op("drawn_from", _drawn_from, batch=lambda size: (), shape=like_first)


def _poisson(rates: ndarray, /, generator: Generator) -> ndarray:
    from ..array import random_choice

    return random_choice.poisson(generator, rates)


#: Poisson numbers with the input's rates.
poisson = _declared(_poisson, "PoissonBackward0")


def _binomial(counts: ndarray, p: ndarray, /, generator: Generator) -> ndarray:
    from ..array import random_choice

    if counts.dtype in HALVES:
        raise unsupported("binomial_cpu", (counts,))
    return random_choice.binomial(generator, counts, p)


#: How many of so many trials succeed.
binomial = _weighing(op("binomial", _binomial, underivable="binomial", batch=_same_attributes), 2)


def _standard_gamma(concentration: ndarray, /, generator: Generator) -> ndarray:
    from ..array import random_gamma

    return random_gamma.standard_gamma(generator, concentration)


def _dirichlet(concentration: ndarray, /, generator: Generator) -> ndarray:
    from ..array import random_gamma

    return random_gamma.dirichlet(generator, concentration)


def _gamma_slope(x: ndarray, y: ndarray) -> ndarray:
    from ..array import gamma_gradient

    return gamma_gradient.gamma_slope(x, y)


def _dirichlet_slope(x: ndarray, y: ndarray, z: ndarray) -> ndarray:
    from ..array import gamma_gradient

    return gamma_gradient.dirichlet_slope(x, y, z)


def _same_shape(kernel: Callable[..., ndarray]) -> Callable[..., ndarray]:
    """Let the arrays that an elementwise kernel takes broadcast, and let it write into another array."""

    def broadcasting(*arrays: ndarray, out: object = ...) -> ndarray:
        return into(out, kernel(*np.broadcast_arrays(*arrays)))

    return broadcasting


#: How gamma numbers of rate 1 (y) move with their concentrations (x): implicit reparameterization gradients
#: (Figurnov, Mohamed and Mnih 2018), by torch's approximations.
standard_gamma_grad: Call = elementwise(
    "standard_gamma_grad", _same_shape(_gamma_slope), not_implemented("_standard_gamma_grad"),
    None, inputs=("x", "y"), attrs=(), promote=None, halves=False, jvp=no_tangent("_standard_gamma_grad"),
)  # fmt: skip

#: Gamma numbers of rate 1 with the input's concentrations.
standard_gamma = _weighing(
    op(
        "standard_gamma", _standard_gamma,
        (lambda g, concentration, out: g * standard_gamma_grad(concentration, out),),
        node_name="StandardGammaBackward0", jvp=no_tangent("_standard_gamma"), batch=_same_attributes,
    )
)  # fmt: skip

#: How Dirichlet numbers (x) move with their concentrations (y), whose sums (z) are given.
dirichlet_grad: Call = elementwise(
    "dirichlet_grad", _same_shape(_dirichlet_slope), inputs=("x", "y", "z"), attrs=(),
    promote=None, halves=False, underivable="_dirichlet_grad",
)  # fmt: skip

#: Numbers whose last axis has the Dirichlet distribution with the input's concentrations.
dirichlet = _weighing(op("dirichlet", _dirichlet, underivable="_sample_dirichlet", batch=_same_attributes))


def _rrelu_noise(x: ndarray, /, low: float, high: float, generator: Generator) -> ndarray:
    negative = x <= 0
    noise = np.ones(x.shape, x.dtype)
    if x.dtype.itemsize < 8:  # torch has the bounds in the dtype in which it computes, and draws in float64
        low, high = float(np.float32(low)), float(np.float32(high))
    noise[negative] = random_uniform.doubles(generator, int(negative.sum())) * (high - low) + low
    return noise


#: Slopes drawn between two bounds where x is not positive, one number per such element, and ones elsewhere.
rrelu_noise = _weighing(op("rrelu_noise", _rrelu_noise, (None,), jvp=_zero_tangent, batch=_same_attributes))
