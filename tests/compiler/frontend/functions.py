"""Functions with, among them, every instruction that rewritten code has a rule for.

Each is called without arguments and returns something that can be compared, or raises.
"""

# ruff: noqa: B023, C416, E713, F821, F841, PIE800, PIE804, PLC3002, PLE1132, PLW0120, SIM201, UP008
# mypy: disable-error-code="arg-type, assignment, attr-defined, misc, name-defined, operator, var-annotated"
# Each form has its own instructions: none stands for another here.

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

FUNCTIONS: list[Callable[[], Any]] = []
_total = 1


def _listed(f: Callable[[], Any]) -> Callable[[], Any]:
    FUNCTIONS.append(f)
    return f


class Thing:
    """Has attributes, items and arithmetic."""

    kind = "thing"

    def __init__(self, value: int = 3, **others: Any) -> None:
        self.value = value
        self.__dict__.update(others)

    def __getitem__(self, key: Any) -> Any:
        return key

    def plus(self, *others: int, scale: int = 1, **names: int) -> Any:
        return self.value + scale * sum(others), names

    def name(self) -> str:
        return "thing"


class Special(Thing):
    """Asks the class above."""

    def __init__(self, value: int = 5) -> None:
        super().__init__(value, extra=1)

    def name(self) -> str:
        return "special " + super().name() + super(Special, self).name() + str(super().kind)


@_listed
def operators() -> Any:
    a, b = 7, 3
    c = (a + b, a - b, a * b, a / b, a // b, a % b, a**b, a & b, a | b, a ^ b, a << b, a >> b)
    c = (*c, -a, +a, ~a, not a)
    a += b
    a -= 1
    a *= b
    a //= 2
    a %= 100
    a **= 2
    a &= 0xFF
    a |= 1
    a ^= 5
    a <<= 2
    a >>= 1
    d = 2.0
    d /= 4
    return c, a, d


@_listed
def comparisons() -> Any:
    a, b = 1, 2
    found = [a < b, a <= b, a == b, a != b, a > b, a >= b, a is b, a is not b, a in (1,), a not in (1,)]
    found += [0 < a < b < 3, 5 > a > 9]
    if a < b and not (a > b or a == b):
        found.append("and")
    while not a == 4:
        a += 1
    return found, a, a in [4] and b, not a in [4]


@_listed
def truths() -> Any:
    empty: list[int] = []
    other = [1]
    found = [empty or other, other or empty, empty and other, other and empty, not empty, not other]
    none = None
    if none is None:
        found.append("none")
    if none is not None:
        found.append("never")
    while none is None:
        none = 1 if other else None
    none = 1
    while none is not None:
        none = None
    n = 3
    while n:
        n -= 1
    do = True
    while do:
        do = not other
    x = (y := not empty) and 5
    for k in range(5):
        if k == 1:
            continue
        if k is None or (k is not None and k > 3):
            break
        if not k:
            found.append(k)
    return found, n, x, y, "a" if not empty else "b"


@_listed
def containers() -> Any:
    a, b = [1, 2], {"x": 1}
    c = {*a, 3, *(4, 5)}
    d = {**b, "y": 2, **{"z": 3}}
    e = [*a, *b, 9]
    f = (*a, *e)
    a[0], b["w"], e[1:2] = 5, 6, [7, 8]
    del a[1], e[:1], b["x"]
    first, *rest = f
    head, *middle, tail = f
    (p, q), r = (1, 2), 3
    g = {n: str(n) for n in a}
    h = {n + 1 for n in e if isinstance(n, int)}
    matrix = [[i * j for j in range(3)] for i in range(3)]
    s = f[1:], f[::2], e[-1], f[1:3:1]
    # Bounds that are no constants have instructions of their own (CPython 3.14).
    n = len(e) - 1
    e[n:] = e[:n]
    s = *s, f[n:], f[:n:n]
    const = {"one": a, "two": b, "three": c}
    t = {1, 2, 3}, [1, 2, 3, 4]
    return a, b, c, d, e, f, first, rest, head, middle, tail, p, q, r, g, h, matrix, s, const, t


@_listed
def attributes() -> Any:
    thing = Thing(4)
    thing.other = thing.value
    thing.other += 2
    found = [thing.plus(1, 2), thing.plus(*[3, 4], scale=2), thing.plus(1, scale=3, key=8), thing.other]
    found += [thing.plus(*(5,), **{"name": 1}, **{"scale": 2}), thing[1], thing[1:2], thing[...]]
    del thing.other
    special = Special()
    return found, hasattr(thing, "other"), special.name(), special.value, special.extra, vars(special)


@_listed
def repeated_keyword() -> Any:
    return Thing().plus(**{"a": 1}, **{"a": 2})


@_listed
def keyword_beside_repeated() -> Any:
    return Thing().plus(1, a=1, **{"a": 2})


@_listed
def keyword_that_is_no_text() -> Any:
    return Thing().plus(**{1: 2})


@_listed
def closures() -> Any:
    count = 0

    def add(n: int = 1, *, twice: bool = False) -> int:
        nonlocal count
        count += 2 * n if twice else n
        return count

    def inner() -> Any:
        def innermost() -> Any:
            return count, add
        return innermost()

    later = [lambda: k for k in range(3)]
    add(3, twice=True)
    return add(), inner()[0], count, [f() for f in later]


@_listed
def comprehension_beside_closure() -> Any:
    x = "outer"

    def inside() -> Any:
        found = [lambda: x for x in range(3)]
        own = lambda: x
        return [f() for f in found], own(), x

    return inside(), x


@_listed
def comprehension_in_a_call() -> Any:
    def both(a: Any, b: Any, *, c: Any = None) -> Any:
        return a, b, c

    x = 3
    try:
        both(1, [x / (2 - x) for x in range(5)])
    except ZeroDivisionError:
        x += 1
    return both(x, [x for x in range(3)], c={x: [y for y in range(x)] for x in range(3)}), x


@_listed
def unset_comprehension_variable() -> Any:
    if not FUNCTIONS:
        z = 1
    try:
        [1 // z for z in (1, 0)]
    except ZeroDivisionError:
        pass
    return z


@_listed
def global_names() -> Any:
    global _total, _fleeting
    _total += 1
    _fleeting = 5
    found = _total, _fleeting
    _total -= 1
    del _fleeting
    return found, len("abc")


@_listed
def missing_name() -> Any:
    return name_that_nobody_has


@_listed
def deleted_local() -> Any:
    a = 1
    del a
    return a


@_listed
def deleted_variable_of_a_closure() -> Any:
    a = 1

    def inside() -> Any:
        return a

    found = inside()
    del a
    return found, inside()


@_listed
def exception_name_in_a_closure() -> Any:
    try:
        raise ValueError("one")
    except ValueError as error:
        found = (lambda: str(error))()
    return found


@_listed
def exceptions() -> Any:
    found: list[Any] = []
    for value in (0, "a", None, 1):
        try:
            try:
                found.append(1 / value)
            except ZeroDivisionError as error:
                found.append(str(error))
                raise ValueError("again") from error
            except (TypeError, KeyError):
                found.append("type")
                raise
            else:
                found.append("else")
            finally:
                found.append("finally")
        except ValueError as error:
            found.append((str(error), repr(error.__cause__)))
        except TypeError:
            found.append("outer")
            continue
    assert found
    return found


@_listed
def raised() -> Any:
    try:
        raise KeyError
    except KeyError:
        raise RuntimeError("from") from None


@_listed
def asserted() -> Any:
    a = []
    assert a, "it is empty"


@contextlib.contextmanager
def _noting(found: list[Any], name: str, swallow: bool = False) -> Iterator[Any]:
    found.append(f"+{name}")
    try:
        yield name
    except ValueError:
        found.append(f"!{name}")
        if not swallow:
            raise
    finally:
        found.append(f"-{name}")


@_listed
def managers() -> Any:
    found: list[Any] = []
    with _noting(found, "a") as a, _noting(found, "b"):
        found.append(a)
    with _noting(found, "c", swallow=True), _noting(found, "d"):
        raise ValueError
    for _ in range(3):
        with _noting(found, "e"):
            if len(found) > 12:
                break
            continue
    def early() -> Any:
        with _noting(found, "f"):
            return [found[-1], *[x for x in "ab"]]
    return found, early()


@_listed
def no_manager() -> Any:
    with 5:
        return 1


@_listed
def generators() -> Any:
    found: list[Any] = []

    def count(n: int) -> Any:
        try:
            for k in range(n):
                got = yield k
                found.append(got)
        except KeyError:
            yield "thrown"
        finally:
            found.append("closed")
        return "done"

    def through(n: int) -> Any:
        result = yield from count(n)
        found.append(result)
        yield from [7, 8]
        yield result

    whole = list(through(2))
    sent = count(5)
    values = [next(sent), sent.send("x"), sent.throw(KeyError)]
    left = through(5)
    next(left)
    left.close()
    alone = count(1)
    alone.close()
    lazy = (k * k for k in range(4) if k != 1)
    half = (a + b for a in "ab" for b in "cd")
    next(half)
    half.close()
    def stopped() -> Any:
        yield 1
        raise StopIteration
    try:
        list(stopped())
    except RuntimeError as error:
        found.append(str(error))
    sent.close()
    return whole, values, found, list(lazy)


@_listed
def texts() -> Any:
    a, b, form = 1.5, "text", "8.3f"
    return f"{a}", f"{a:{form}}|{b!r:>10}|{b!s}|{b!a}|{a=}", f"{b}{b!r}", f"{a:.2f}"


@_listed
def imports() -> Any:
    import os.path as path
    import string
    from math import floor, pi
    return path.basename("a/b"), string.digits, floor(pi)


@_listed
def import_that_fails() -> Any:
    from math import nothing_of_the_kind
    return nothing_of_the_kind


@_listed
def default_values() -> Any:
    def f(a: int, b: int = 2, /, c: int = 3, *args: int, d: int, e: int = 5, **kwargs: int) -> Any:
        return a, b, c, args, d, e, kwargs, (lambda: kwargs)()
    return f(1, d=4), f(1, 2, 3, 4, 5, d=6, g=7), f.__annotations__, f.__kwdefaults__


@_listed
def decorated() -> Any:
    def doubled(f: Any) -> Any:
        return lambda *args: 2 * f(*args)
    @doubled
    @doubled
    def f(x: int) -> int:
        return x + 1
    return f(1)


@_listed
def loops() -> Any:
    found = []
    for a, (b, *c) in [(1, (2, 3, 4)), (5, "678")]:
        for k in range(3):
            if k == 2:
                break
        else:
            found.append("never")
        found.append((a, b, c, k))
    else:
        found.append("else")
    n = 0
    while True:
        n += 1
        try:
            if n % 2:
                continue
            if n > 4:
                break
        finally:
            found.append(n)
    return found


@_listed
def wrong_counts() -> Any:
    found = []
    for value in ((1, 2, 3), [1], 5, iter("ab")):
        try:
            a, b = value
            found.append((a, b))
        except (ValueError, TypeError) as error:
            found.append(type(error).__name__)
    return found


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


@_listed
def patterns() -> Any:
    found: list[Any] = []
    for thing in ((1, 2), [1, 2, 3], {"a": 1, "b": 2}, {"a": 3}, Point(1, 5), Point(4, 5), 7, "text"):
        match thing:
            case (a, b):
                found.append(("pair", a, b))
            case [first, *rest]:
                found.append(("list", first, rest))
            case {"a": 1, **others}:
                found.append(("dict", others))
            case {"a": value}:
                found.append(("other dict", value))
            case Point(1, y=y):
                found.append(("point", y))
            case Point():
                found.append("any point")
            case int(number):
                found.append(number)
            case _:
                found.append(None)
    return found


def _many(count: int) -> Callable[[], Any]:
    """Return a function whose jumps, names and constants need extended arguments."""
    lines = ["def many():", "    found = []", "    for k in range(3):", "        if k == 1: continue"]
    for n in range(count):
        lines += [f"        v{n} = k + {n + 1000}", f"        found.append(v{n} if v{n} % 2 else 'text {n}')"]
    space: dict[str, Any] = {}
    exec("\n".join([*lines, "    return found"]), space)
    return space["many"]


FUNCTIONS.append(_many(400))


def outcome(f: Callable[[], Any]) -> Any:
    """Return what a function returns, or the type and arguments of what it raises."""
    try:
        return f()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        return type(error), error.args
