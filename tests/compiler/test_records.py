"""Objects among the arguments, as a batch that is a dataclass: another object is no other program."""

from __future__ import annotations

import copy
import dataclasses
import functools
import threading
import weakref
from argparse import Namespace
from collections import OrderedDict, UserDict, defaultdict, deque
from fractions import Fraction
from pathlib import PosixPath
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import pullback as torch
from pullback.compiler.frontend.state.arguments import is_record
from pullback.compiler.runtime.specialised_source import MISS

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


@dataclasses.dataclass
class Batch:
    x: Any
    y: Any = None
    scale: float = 2.0

    def twice(self) -> Any:
        return self.x * 2

    @property
    def width(self) -> int:
        return int(self.x.shape[1])


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x",)
    x: Any


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Any


def batch(n: int, kind: Any = Batch, rows: int = 4) -> Any:
    torch.manual_seed(n)
    return kind(x=torch.randn(rows, 3), y=torch.randn(rows, 3))


def same(a: Any, b: Any) -> None:
    """Compare what calls returned, or left in objects."""
    if isinstance(a, (Batch, SimpleNamespace)):
        same(vars(a), vars(b))
    elif isinstance(a, dict):
        assert list(a) == list(b)
        same(list(a.values()), list(b.values()))
    elif isinstance(a, (list, tuple)):
        assert type(a) is type(b) and len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            same(one, other)
    elif isinstance(a, torch.Tensor):
        torch.testing.assert_close(a, b)
    else:
        assert a == b


def programs(function: Any, kind: Any = Batch, calls: int = 12, arguments: Any = None) -> Any:
    """Call a function with new objects, compiled and eagerly; return the compiled one."""
    compiled = torch.compile(function)
    for n in range(calls):
        given = [(batch(n, kind),) if arguments is None else arguments(n) for _ in range(2)]
        same(compiled(*given[0]), function(*given[1]))
        same(given[0], given[1])
    return compiled._native


@pytest.mark.parametrize("kind", [Batch, SimpleNamespace])
def test_an_object_in_each_call_is_one_program(kind: Any) -> None:
    native = programs(lambda b: (b.x * b.y).sum(), kind)
    assert native.eager_because is None and len(native.specializations) == 1


def test_methods_and_properties_are_read() -> None:
    native = programs(lambda b: b.twice() * b.width + b.scale)
    assert native.eager_because is None and len(native.specializations) == 1


def test_the_short_way_is_taken() -> None:
    def function(b: Any) -> Any:
        return b.x + 1

    compiled = torch.compile(function)
    for n in range(3):
        compiled(batch(n))
    (way,) = compiled._native.shortcuts
    same(way((batch(5),), {}), function(batch(5)))


def test_what_a_call_assigns_is_in_its_own_object() -> None:
    def function(b: Any) -> Any:
        b.x = b.x * 2
        b.z = b.x + b.y
        del b.y
        return b

    native = programs(function, SimpleNamespace)
    assert native.eager_because is None and len(native.specializations) == 1
    compiled, mine = torch.compile(function), [batch(n, SimpleNamespace) for n in range(4)]
    assert all(compiled(b) is b for b in mine)


def test_a_tensor_of_an_object_is_changed_in_place() -> None:
    def function(b: Any) -> Any:
        b.x.mul_(3)
        return b.x + b.y

    native = programs(function)
    assert native.eager_because is None and len(native.specializations) == 1


def test_objects_in_lists_and_in_objects() -> None:
    def function(bs: Any, top: Any) -> Any:
        return sum(b.x.sum() for b in bs) * top.inner.scale + top.inner.y

    native = programs(
        function, arguments=lambda n: ([batch(n), batch(n + 1)], SimpleNamespace(inner=batch(n + 2)))
    )
    assert native.eager_because is None and len(native.specializations) == 1


def test_what_an_object_holds_is_compared() -> None:
    native = programs(
        lambda b: b.x * b.scale if b.y is None else b.x - b.y, arguments=lambda n: (
            Batch(torch.full((2, 2 + n % 2), 1.0), None if n % 3 else torch.ones(2, 2 + n % 2), 1.0 + n % 2),
        ),
    )  # fmt: skip
    assert native.eager_because is None and len(native.specializations) <= 8


def test_an_attribute_more_is_another_program() -> None:
    def function(b: Any) -> Any:
        return b.x * (2 if hasattr(b, "extra") else 3)

    def arguments(n: int) -> Any:
        b = batch(n)
        if n % 2:
            b.extra = 1
        return (b,)

    assert programs(function, arguments=arguments).eager_because is None


class Model:
    def __init__(self) -> None:
        self.last = self.best = Batch(torch.zeros(2, 3))
        self.seen: list[Any] = []


def test_an_object_that_is_kept_is_that_of_the_call() -> None:
    model, other = Model(), Model()

    def keep(model: Any) -> Any:
        def function(b: Any) -> Any:
            model.last = b
            return b.x + model.best.x.sum()
        return function

    compiled, eager = torch.compile(keep(model)), keep(other)
    for n in range(6):
        mine = batch(n)
        same(compiled(mine), eager(mine))
        assert model.last is mine


def test_an_object_that_is_found_elsewhere_too() -> None:
    model = Model()
    objects = [batch(0), batch(1), model.best, batch(2), model.best, batch(3)]

    def function(b: Any) -> Any:
        return b.x.sum() + (1 if b is model.best else 0) + (10 if any(b is s for s in model.seen) else 0)

    compiled = torch.compile(function)
    for b in objects:
        model.seen = [objects[3]]
        same(compiled(b), function(b))


def test_an_object_that_is_changed_and_found_elsewhere() -> None:
    model = Model()
    objects = [batch(n) for n in range(4)]

    def function(b: Any) -> Any:
        b.scale = b.scale + 1.0
        return b.x * model.best.scale

    compiled = torch.compile(function)
    model.best = objects[2]
    for b in [*objects, objects[2], objects[3]]:
        b.scale, model.best.scale = 1.0, 7.0
        same(compiled(b), b.x * (8.0 if b is model.best else 7.0))
        assert b.scale == (8.0 if b is model.best else 2.0)


@pytest.mark.filterwarnings("ignore:compile")
@pytest.mark.parametrize("ask", [
    lambda b: id(b), lambda b: weakref.ref(b)(), lambda b: copy.copy(b), lambda b: vars(b),
    lambda b: dataclasses.asdict(b)["scale"], lambda b: dataclasses.replace(b, scale=3.0),
    lambda b: repr(b.scale),
    lambda b: b == b, lambda b: [b, b], lambda b: {"b": b}, lambda b: bool(b), lambda b: type(b).__name__,
    lambda b: b.twice, lambda b: isinstance(b, Batch), lambda b: [f.name for f in dataclasses.fields(b)],
    lambda b: setattr(b, "scale", b.scale + 1), lambda b: b.__dict__.update(scale=5.0),
    lambda b: setattr(b, "__dict__", {"x": b.x, "scale": 1.0}), lambda b: setattr(b, "__class__", Other),
])  # fmt: skip
def test_what_asks_for_the_object_is_told_of_that_of_the_call(ask: Any) -> None:
    def function(b: Any) -> Any:
        return ask(b), b.x + 1

    compiled = torch.compile(function)
    for n in range(6):
        one, other = batch(n), batch(n)
        got, x = compiled(one)
        expected, y = function(other)
        same(x, y)
        assert vars(one).keys() == vars(other).keys() and type(one) is type(other)
        assert one.scale == other.scale
        if expected is other:
            assert got is one
        elif isinstance(expected, list) and expected[0] is other:
            assert got[0] is one and got[1] is one
        elif isinstance(expected, dict) and expected.get("b") is other:
            assert got["b"] is one
        elif expected is vars(other):
            assert got is vars(one)
        elif isinstance(expected, int) and expected == id(other):
            assert got == id(one)
        elif hasattr(expected, "__self__"):
            assert got.__self__ is one
        else:
            same(got, expected)


class Other(Batch):
    pass


def test_which_classes_are_told_by_attributes() -> None:
    normal = torch.distributions.Normal
    assert all(map(is_record, [Batch, SimpleNamespace, Slotted, Frozen, Model, normal, UserDict, Namespace]))
    others: list[Any] = [
        list, dict, OrderedDict, object, torch.nn.Linear, torch.Tensor, torch.optim.SGD, functools.partial,
        threading.local, Fraction, PosixPath, torch.device, torch.Generator, RuntimeError,
    ]
    assert not any(map(is_record, others))


def test_an_object_that_holds_itself() -> None:
    def function(b: Any) -> Any:
        return b.x + b.me.x

    compiled = torch.compile(function)
    for n in range(4):
        b = batch(n, SimpleNamespace)
        b.me = b
        same(compiled(b), function(b))


def test_a_cache_that_grows_in_an_object() -> None:
    """Each length is a program, which the next text's cache is served by, with keys that are tuples."""
    def function(cache: Any, x: Any) -> Any:
        cache.d["k", 0] = torch.cat([cache.d["k", 0], x], 0) if ("k", 0) in cache.d else x
        return cache.d["k", 0].sum(0)

    compiled = torch.compile(function)
    native = compiled._native
    for text in range(6):
        caches = [SimpleNamespace(d={}) for _ in range(2)]
        for n in range(5):
            x = torch.full((1, 3), float(n + text))
            same(compiled(caches[0], x), function(caches[1], x))
        same(caches[0], caches[1])
    assert native.eager_because is None and len(native.specializations) == 5


class Plain:
    def __init__(self, x: Any, k: Any = 1.0, name: str = "") -> None:
        self.x, self.k, self.name = x, k, name


class WithSlots:
    __slots__ = ("k", "x")

    def __init__(self, x: Any, k: Any) -> None:
        self.x, self.k = x, k


class Output(OrderedDict[str, Any]):
    def __init__(self, **held: Any) -> None:
        super().__init__(held)
        vars(self).update(held)


class Step(NamedTuple):
    x: Any
    k: float


X = torch.arange(3.0)


@pytest.mark.parametrize(
    ("function", "arguments", "count"),
    [
        (lambda b: b.x * 2, lambda n: (Plain(X * n),), 1),
        (lambda b: b.x * b.k, lambda n: (Plain(X * n, n),), 2),
        (lambda b: b.x * 2, lambda n: (Plain(X, name=f"{n}"),), 2),
        (lambda bs: bs[0].x * bs[1].k, lambda n: ([Plain(X * n), Plain(X, 0.5 * n)],), 2),
        (lambda b: b.k.x * b.x, lambda n: (Plain(X * n, Plain(X)),), 1),
        (lambda b: b.x * b.k, lambda n: (WithSlots(X, n),), 2),
        (lambda b: b.x * b["k"], lambda n: (Output(x=X * n, k=n),), 2),
        (lambda b: b["x"] * len(b), lambda n: (UserDict(x=X * n),), 1),
        (lambda b: b.x * b.k, lambda n: (Step(X, float(n)),), 2),
        (lambda b: b.x * 2, lambda n: (Frozen(X * n),), 1),
        (lambda d: d.log_prob(X).sum(), lambda n: (torch.distributions.Normal(X * n, X + 1),), 1),
        (lambda q: q[0] * q[1], lambda n: (deque([X, float(n)], maxlen=3),), 2),
        (lambda c, d: c["a"] * d["b"], lambda n: (OrderedDict(a=X), defaultdict(int, b=n)), 2),
        (lambda a, b: a.x + b.x, lambda n: (Plain(X * n),) * 2, 1),
        (lambda x, c: x * c.k, lambda n: (X, PLAYERS[n % 2]), 2),
    ],
)
def test_how_many_programs_there_are(function: Any, arguments: Any, count: int) -> None:
    compiled = torch.compile(function)
    for n in range(12):
        same(compiled(*arguments(n)), function(*arguments(n)))
    native = compiled._native
    assert native.eager_because is None and len(native.specializations) == count
    assert any(way(arguments(12), {}) is not MISS for way in native.shortcuts)


#: Two objects that are there for good; what one holds beside is looked at by no program.
PLAYERS = [Plain(X, 2.0), Plain([X], 3.0)]


def test_an_object_that_holds_much_is_told_by_its_identity() -> None:
    def function(b: Any) -> Any:
        return b.k[0] + 1

    compiled = torch.compile(function)
    memories = [Plain(None, [X] * 600) for _ in range(4)]
    for b in memories:
        same(compiled(b), function(b))
    assert not compiled._native._knowledge.records


@pytest.mark.filterwarnings("ignore:compile")
def test_a_chain_of_objects_is_taken_apart_so_deep() -> None:
    def function(b: Any) -> Any:
        return b.x + 1

    compiled = torch.compile(function)
    for n in range(5):
        chain = None
        for _ in range(3000):
            chain = Plain(X * n, chain)
        same(compiled(chain), function(chain))
