"""Find Kullback–Leibler divergences in a table from pairs of distributions to functions.

The formulas are in `divergences`.
"""

from collections.abc import Callable
from typing import Any

from ..core.warn import warn
from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

Divergence = Callable[[Any, Any], Any]
Pair = tuple[type, type]

#: The registered functions.
_KL_REGISTRY: dict[Pair, Divergence] = {}
#: What was found for other pairs that were asked for; None where there is nothing.
_KL_MEMOIZE: dict[Pair, Divergence | None] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Divergence], Divergence]:
    """Decorate a function ``(p, q) → KL(p ‖ q)`` for two kinds of distributions and their subclasses.

    Where several pairs fit, the one is taken whose first class is the nearest, then whose second is. Where
    the nearest second class belongs to another function there is a RuntimeWarning, which a registration for
    that very pair resolves.

    Parameters
    ----------
    type_p, type_q : type
        Subclasses of `Distribution`.
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) and issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(function: Divergence) -> Divergence:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return register


def _nearest(pairs: list[Pair], first: int) -> Pair:
    """Return the pair whose class at `first` is below the others', or whose other class where those agree."""
    best = pairs[0]
    for pair in pairs[1:]:
        order = (first, 1 - first)
        differing = next((i for i in order if pair[i] is not best[i]), None)
        if differing is not None and all(
            issubclass(pair[i], best[i]) for i in order[: order.index(differing) + 1]
        ):
            best = pair
    return best


def _dispatch_kl(type_p: type, type_q: type) -> Divergence | None:
    """Return the most special function for two classes."""
    pairs = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not pairs:
        return None
    left, right = _nearest(pairs, 0), _nearest(pairs, 1)
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
            f"register_kl({left[0].__name__}, {right[1].__name__})", RuntimeWarning
        )
    return _KL_REGISTRY[left]


def kl_divergence(p: Any, q: Any) -> Any:
    """Return the Kullback–Leibler divergence KL(p ‖ q) = ∫ p(x)·log(p(x) / q(x)) dx.

    Parameters
    ----------
    p, q : Distribution

    Returns
    -------
    Tensor
        Of the batch's shape.

    Raises
    ------
    NotImplementedError
        Where no formula is registered for the two kinds.
    """
    pair = type(p), type(q)
    # What is registered for the very pair is not memoized: a compiled function that changes a table which it
    # reads is compiled anew in its second call.
    if (function := _KL_REGISTRY.get(pair)) is None:
        if pair not in _KL_MEMOIZE:
            _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
        function = _KL_MEMOIZE[pair]
    if function is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type "
            f"{q.__class__.__name__}"
        )
    return function(p, q)
