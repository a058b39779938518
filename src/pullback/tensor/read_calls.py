"""Read the arguments of public calls: overrides come first, torch's errors when a call has failed.

A public function runs as it is. Only where it fails, or is given what is no tensor of this package, is it
asked what its arguments are; that costs calls that succeed nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ..array import large
from ..core import facade
from ..core.calls import ABSENT
from .failed_calls import explain, is_told, renamed
from .inline_cache.cache import HOT, InlineCache
from .interception import OVERRIDING, PASS, intercepted
from .out import IN_DTYPE_OF_OUT, check_before_kernel, dtype_into, write_out, written_at_once
from .override_dispatch import (
    PLAIN,
    adopt,
    are_foreign,
    dispatch_override,
    items_of,
    overridden,
    undisturbed,
)
from .wrong_calls import EVERY, Kinds, handed_on

Function = Callable[..., Any]


class Public:
    """A public function: what calls it at once, any call of it, and what its first call finds out for others.

    A record and no closures: there are a thousand of these, and of what a process holds at its end, which
    the collector takes apart, their cells were a third.
    """

    __slots__ = ("behind", "cache", "cached", "call", "function", "kinds", "safe", "taken")

    def __init__(self, function: Function, kinds: Any = None) -> None:
        self.function, self.behind = function, getattr(function, "behind", function)
        #: What tells how many arguments need no look (`Kinds`); None where none needs one.
        self.kinds = kinds
        #: What the inline cache does calls with; that is made by the first call.
        self.cached: Function | None = None
        self.cache: InlineCache | None = None
        # The signatures of all functions are not read with the package.
        self.safe = self.taken = 0
        self.call = _called_at_once(self)

    def begin(self) -> None:
        """Find out what later calls are done by."""
        count_taken = getattr(self.function, "taken", None)
        kinds = None if count_taken else self.kinds
        self.safe = EVERY if kinds is None else kinds.safe
        if count_taken is not None:
            self.taken = count_taken()
        self.cache = InlineCache(self.function, kinds, self.general, self.use)
        self.cached = self.cache.count
        self.cached()

    def use(self, found: Function | None) -> None:
        """Take the inline cache's function, or None where there is none."""
        self.cached = found

    def general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do any call."""
        return self.function(*args, **kwargs)

    def failed(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Say what is wrong with a call that failed, or do it otherwise; return `PASS` where the error is to
        be raised again: a frame in its traceback that holds it would be a cycle.
        """
        return PASS


class _Renamed(Public):
    """A function under another name or place."""

    __slots__ = ("name", "place")

    def __init__(self, function: Function, name: str, place: str) -> None:
        super().__init__(function)
        self.name, self.place = name, place

    def general(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # Overrides are told of this name; the function would tell them of its own.
        asked = OVERRIDING or (self.place != "Tensor" and are_foreign(args))
        if asked and overridden((*args, *kwargs.values())):
            return dispatch_override(self.call, args, kwargs)
        try:
            return self.function(*args, **kwargs)
        except Exception:
            explain(self.place, self.name, args, kwargs)
            raise

    def failed(self, error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        explain(self.place, self.name, args, kwargs)
        return PASS


def as_function(method: Function, name: str, place: str = "") -> Function:
    """Return a function under another name or place, which says itself what is wrong with a call."""
    public = _Renamed(method, name, place)
    if place == "Tensor":
        return _named(public.call, method)

    def of_tensors(a: Any = ABSENT, b: Any = ABSENT, /, *more: Any, **named: Any) -> Any:
        if type(a) is facade.Tensor and not (named or more) and (not OVERRIDING or undisturbed(a, b)):
            try:
                if b is ABSENT:
                    return method(a)
                if type(b) is facade.Tensor or type(b) in PLAIN:
                    return method(a, b)
            except Exception:
                explain(place, name, _given(a, b, ABSENT, ABSENT), {})
                raise
        return public.general((*_given(a, b, ABSENT, ABSENT), *more), named)

    public.call = with_plans(of_tensors)
    return _named(public.call, method)


def with_overrides(
    function: Function, place: str, name: str,
    arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None, mirrors: bool = False,
    numpy: bool = False, printed: str = "", parts: Function | None = None,
) -> Function:
    """Return a public function that asks overrides first, and has torch's errors where it fails. One that has
    `out` is `printed` so in what is said of that; `parts` is as `inplace_variants` takes it.
    """
    call = _Overridable(function, place, name, arranged, mirrors, numpy, printed, parts).call
    if printed:
        call.takes_out = True  # type: ignore[attr-defined]  # what the stubs ask
    return _named(call, function)


class _Overridable(Public):
    """A function that asks overrides first; see `with_overrides`."""

    __slots__ = ("arranged", "mirrors", "name", "numpy", "parts", "place", "printed")

    def __init__(
        self, function: Function, place: str, name: str,
        arranged: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None, mirrors: bool, numpy: bool,
        printed: str, parts: Function | None,
    ) -> None:  # fmt: skip
        super().__init__(function, Kinds(function, place, name))
        self.place, self.name, self.arranged, self.mirrors = place, name, arranged, mirrors
        self.numpy, self.printed, self.parts = numpy, printed, parts

    def general(self, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
        function, place, name, printed = self.function, self.place, self.name, self.printed
        out, kwargs = None, named
        if printed and "out" in named:
            out, kwargs = named["out"], _without_out(named)
            named = kwargs if out is None else named
        if OVERRIDING:
            args = args if self.arranged is None else self.arranged(args)
            if overridden((*args, *kwargs.values()) if kwargs else args):
                return dispatch_override(self.call, args, named)
            label = name if place in ("", "Tensor", "nn") else f"{place}_{name}"
            found = intercepted(self.call, function if out is None else None, label, args, named)
            if found is not PASS:
                return found
        wrong = self.kinds.wrong(args, named) if named or len(args) > self.kinds.safe else None
        if wrong is not None and (not self._is_of_layers() or name in _STRAIGHT):
            raise wrong
        kwargs = _in_torchs_names(kwargs) if self.numpy else kwargs
        try:
            result = (
                function(*args, **kwargs) if out is None
                else _written(out, function, args, kwargs, printed, self.parts)
            )  # fmt: skip
        except Exception as error:  # raised again, or the call is done otherwise
            if (found := self.failed(error, args, named, wrong)) is PASS:
                raise
            return found
        if wrong is not None:
            raise wrong
        return result

    def failed(
        self, error: Exception, args: tuple[Any, ...], named: dict[str, Any], wrong: Exception | None = None
    ) -> Any:
        place, name = self.place, self.name
        if isinstance(error, (TypeError, AttributeError)):
            kwargs = _without_out(named) if self.printed else named
            if adopt((*args, *kwargs.values())):
                return dispatch_override(self.call, args, named)
            same = len(kwargs) == len(named)
            found = renamed(self.function, place, name, args, named) if same else PASS
            if found is not PASS:
                return found
        if self.mirrors and not is_told(error):
            return PASS
        is_mine = self._is_of_layers() and not _looked_at(name, error)
        if is_mine and (wrong := wrong or handed_on(name, args, named)):
            raise wrong from None
        explain(place, name, args, named)
        return PASS

    def _is_of_layers(self) -> bool:
        return self.place == "nn" and not self.printed


def _looked_at(name: str, error: Exception) -> bool:
    """Return whether it was a check of `nn.functional` that failed, before arguments were passed on."""
    own = isinstance(error, _CHECKED) and not isinstance(error, _OF_KERNELS)
    return own and name not in _STRAIGHT and is_told(error)


def _without_out(named: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in named.items() if key != "out"}


def _written(
    out: Any, function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], printed: str,
    parts: Function | None,
) -> Any:
    """Write the result of a call into `out`, at once where `parts` gives an op that can."""
    plain = len(args) == 2 and not kwargs and type(args[0]) is facade.Tensor is type(out)
    if parts and plain and type(out._value) is ndarray and out._value.size >= large.SIZE:
        op, operands, attrs = parts(args[1])
        if op is not None and not attrs and written_at_once(op, (args[0], *operands), out):
            return out
    if printed in IN_DTYPE_OF_OUT:
        input = args[0] if args else kwargs.get("input")
        kwargs["dtype"] = dtype_into(printed, kwargs.get("dtype"), out, input)
    operands = items_of((*args, *kwargs.values()))
    try:
        result = function(*args, **kwargs)
    except NotImplementedError as error:
        check_before_kernel(error, printed, out, operands, kwargs.get("dtype"))
        raise
    return write_out(out, result, printed, operands)


def _called_at_once(public: Public) -> Function:
    """Return a public function that is called at once where up to four arguments are given by place, none of
    which has to be looked at before, and nothing overrides functions; else `general` does the call. Of one
    that reads its arguments with a parser, that is not asked where they are so many tensors: then it is the
    function `behind` the parser that is called. Before all that, its inline cache is asked.
    """

    # Without ``*args`` and ``**kwargs`` a call of the function costs 80 ns less.
    def call(
        a: Any = ABSENT, b: Any = ABSENT, c: Any = ABSENT, d: Any = ABSENT, /, *more: Any, **named: Any
    ) -> Any:
        cached = public.cached
        if cached is not None:
            # Calls with a plan have tensors of the plain class alone, and no mode: nothing overrides them.
            found = cached(a, b, c, d, named, *more) if named or more else cached(a, b, c, d)
            if found is HOT:
                found = public.cache.specialise(a, b, c, d, *more, named=named)  # type: ignore[union-attr]  # it gave `cached`
            if found is not None:
                return found
        if not (named or more) and (not OVERRIDING or undisturbed(a, b, c, d)):
            tensor, safe, taken = facade.Tensor, public.safe, public.taken
            try:
                if b is ABSENT:
                    if a is not ABSENT and safe:
                        return (public.behind if taken == 1 and type(a) is tensor else public.function)(a)
                elif c is ABSENT:
                    if safe > 1:
                        plain = taken == 2 and type(a) is type(b) is tensor
                        return (public.behind if plain else public.function)(a, b)
                elif d is ABSENT:
                    if safe > 2:
                        plain = taken == 3 and type(a) is type(b) is type(c) is tensor
                        return (public.behind if plain else public.function)(a, b, c)
                elif safe > 3:
                    return public.function(a, b, c, d)
            except Exception as error:  # raised again, or the call is done otherwise
                if (found := public.failed(error, _given(a, b, c, d), {})) is PASS:
                    raise
                return found
        if public.cache is None:
            public.begin()
        elif cached is not None and OVERRIDING:
            found = public.cache.under_a_mode(cached, a, b, c, d, named, more)
            if found is not None:
                return found
        return public.general((*_given(a, b, c, d), *more), named)

    return call


def with_plans(function: Function) -> Function:
    """Return a function that reads its arguments itself, with an inline cache."""
    return _named(Public(function).call, function)


def _given(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, ...]:
    if b is ABSENT:
        return () if a is ABSENT else (a,)
    return (a, b) if c is ABSENT else (a, b, c) if d is ABSENT else (a, b, c, d)


def _in_torchs_names(kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with NumPy's names of a reduction's dims replaced by torch's."""
    for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):
        if theirs in kwargs and ours not in kwargs:
            kwargs = {ours if key == theirs else key: value for key, value in kwargs.items()}
    return kwargs


#: Functions of `nn.functional` that look at nothing before they pass their arguments on.
_STRAIGHT = frozenset({"layer_norm", "rms_norm"})

#: What functions of `nn.functional` raise that look at an argument before they pass it on.
_CHECKED = (RuntimeError, ValueError)
#: What kernels raise, which torch reaches when it has read all arguments.
_OF_KERNELS = NotImplementedError


def _named(call: Function, function: Function) -> Function:
    call.__name__ = function.__name__
    call.__qualname__ = function.__qualname__
    call.__doc__ = function.__doc__
    call.__module__ = function.__module__
    call.__wrapped__ = function  # type: ignore[attr-defined]  # what `inspect.signature` follows
    return call
