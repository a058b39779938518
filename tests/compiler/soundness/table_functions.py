"""Programs of functions: their code, defaults and attributes, closures, caches, decorators, imports."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== code_of_inner_function_replaced: compiles
def f(x): return x * 2
def step(x): return f(x)
--- change 3
f.__code__ = (lambda x: x * 3).__code__
=== code_of_step_replaced: compiles
def step(x): return x * 2
plain = step
--- change 3
plain.__code__ = (lambda x: x * 3).__code__
=== default_of_step_replaced: compiles
def step(x, k=2.0): return x * k
plain = step
--- change 3
plain.__defaults__ = (3.0,)
=== keyword_default_of_step_deleted: raises compiles
def step(x, *, k=2.0): return x * k
plain = step
--- change 3
plain.__kwdefaults__ = None
=== mutable_default_grows:
def step(x, seen=[]):
    seen.append(len(seen))
    return x * len(seen)
=== attribute_of_compiled_function: compiles
@compiled
def step(x): return x * step.k
step.k = 2.0
--- change 3
step.k = 3.0
=== counter_on_compiled_function:
@compiled
def step(x):
    step.calls += 1
    return x * step.calls
step.calls = 0
--- state
step.calls
=== recursive_compiled_function: compiles
@compiled
def step(x, k=3): return x if k == 0 else step(x * 2, k - 1)
=== compiled_calls_compiled: compiles
k = 2.0
@compiled
def inner(x): return x * k
def outer(x): return inner(x) + 1
step = compiled(outer)
--- change 3
k = 3.0
=== method_compiled_per_instance: compiles
class O:
    def __init__(self, k): self.k = k
    @compiled
    def f(self, x): return x * self.k
a, b = O(2.0), O(3.0)
def step(x, o): return o.f(x)
--- call
torch.arange(1.0, 4.0) + n, a if n % 2 else b
--- change 4
a.k = 7.0
=== bound_method_compiled: compiles
class O:
    k = 2.0
    def f(self, x): return x * self.k
o = O()
step = compiled(o.f)
--- change 3
o.k = 3.0
=== callable_object_compiled: compiles
class O:
    k = 2.0
    def __call__(self, x): return x * self.k
o = O()
step = compiled(o)
--- change 3
O.k = 3.0
=== partial_compiled: compiles
def f(k, x): return x * k[0]
k = [2.0]
step = compiled(functools.partial(f, k))
--- change 3
k[0] = 3.0
=== lambda_compiled: compiles
k = 2.0
step = compiled(lambda x: x * k)
--- change 3
k = 3.0
=== closure_compiled: compiles
def make():
    k = 2.0
    def step(x): return x * k
    def put(v):
        nonlocal k
        k = v
    return step, put
step, put = make()
--- change 3
put(3.0)
=== closure_cell_emptied: raises
def make():
    k = 2.0
    def step(x): return x * k
    def drop():
        nonlocal k
        del k
    return step, drop
step, drop = make()
--- change 3
drop()
=== closure_shared_by_two:
def make():
    k = 0
    def up():
        nonlocal k
        k += 1
        return k
    def step(x): return x * up() + k
    return step, lambda: k
step, get = make()
--- state
get()
=== two_closures_of_one_code: compiles
def make(k): return lambda x: x * k
a, b = make(2.0), make(3.0)
held = [a]
def step(x): return held[0](x)
--- change 3
held[0] = b
=== locals_read: compiles
def step(x):
    k = 2.0
    return x * locals()["k"]
=== locals_with_effect:
def step(x):
    found = locals()
    return x * len(found), sorted(found)
=== lru_cache_of_numbers: compiles
calls = []
@functools.lru_cache
def f(k):
    calls.append(k)
    return k * 2
def step(x): return x * f(2)
--- change 3
f.cache_clear()
--- state
len(calls), f.cache_info()
=== lru_cache_of_tensors: compiles
@functools.lru_cache(maxsize=None)
def f(k): return torch.full((3,), float(k))
def step(x):
    t = f(2)
    return x * t, t
--- change 3
f(2).add_(1)
=== lru_cache_with_links_used_again: compiles
made = []
@functools.lru_cache(maxsize=1)
def f(k):
    made.append(k)
    return [len(made)]
def step(x): return x * f(1)[0]
--- change 3
f(2), f(1)
--- change 4
f(2), f(1)
f(1)[0] = 9.0
--- change 5
f.cache_clear(), f(2), f(1)
--- state
made, f.cache_info(), f(1)
=== lru_cache_of_tensors_with_links_used_again: compiles
@functools.lru_cache(maxsize=2)
def f(k, *, a=0, b=0): return torch.full((3,), float(k + len(made)))
made = []
def step(x):
    t = f(1, b=2, a=1)
    return x * t, t
--- change 3
made.append(1), f(2), f(3), f(9), f(1, b=2, a=1)
--- change 4
f(4), f(1, b=2, a=1).add_(1)
--- state
f.cache_info()
=== lru_cache_with_equal_answers: compiles
@functools.lru_cache(maxsize=1, typed=True)
def f(k): return k * n
n = 2.0
def step(x): return x * f(1)
--- change 3
f(1.0), f(1)
--- change 4
n = 3.0
f(2), f(1)
--- state
f.cache_info()
=== lru_cache_cleared_inside:
made = []
@functools.lru_cache(maxsize=2)
def f(k):
    made.append(k)
    return k + len(made)
def step(x):
    a = f(1)
    f.cache_clear()
    return x * a * f(1)
--- state
f.cache_info(), made
=== lru_cache_that_raises:
@functools.lru_cache(maxsize=2)
def f(k):
    if n < 2: raise KeyError(k)
    return k * n
n = 1.0
def step(x):
    try: return x * f(1)
    except KeyError: return x * 2
--- change 3
n = 3.0
--- state
f.cache_info()
=== lru_cache_wrapping_another: compiles
@functools.lru_cache(maxsize=2)
def f(k): return k * 2.0
def step(x): return x * f(1)
--- change 3
f.__wrapped__ = lambda k: k * 5.0
--- change 4
f.cache_clear()
--- change 5
f = functools.lru_cache(f.__wrapped__)
--- state
f.cache_info()
=== lru_cache_counts: compiles
@functools.lru_cache
def f(k): return k + 1
k = 1
def step(x): return x * f(k)
--- change 4
k = 2
--- state
f.cache_info()
=== lru_cache_by_keywords_and_objects: compiles
class O: pass
o = O()
@functools.lru_cache(maxsize=3, typed=True)
def f(*a, **k): return [len(a) + 2 * len(k)]
def step(x): return x * f(o)[0] + f((1, "a"), k=2)[0] * f(x.shape)[0]
--- change 3
f(o)[0] = 7
--- change 4
f(1), f(2)
--- state
f.cache_info(), f(o)
=== lru_cache_by_an_object_with_a_hash_of_its_own:
class O:
    n = 0
    def __hash__(self): O.n += 1; return 1
    def __eq__(self, other): return True
o, p = O(), O()
@functools.lru_cache
def f(a): return 2.0
def step(x): return x * f(o) + f(p)
--- state
f.cache_info(), O.n
=== lru_cache_of_a_method: compiles
class O:
    k = 2.0
    @functools.lru_cache
    def f(self, n): return self.k * n
o = O()
def step(x): return x * o.f(3)
--- change 3
o.k = 5.0
--- change 5
O.f.cache_clear()
--- state
O.f.cache_info()
=== signature_of_functions: compiles
import inspect
class O:
    def f(self, a, b=2, *, c=3): return a
o = O()
def g(a, /, b: int = 4, **kw): return a
@functools.wraps(g)
def h(*args): return g(*args)
def step(x):
    n = len(inspect.signature(o.f).parameters)
    if "kw" in inspect.signature(h).parameters: n += 10
    names = set(inspect.signature(g).parameters.keys())
    return x * n + inspect.signature(g).parameters["b"].default, sorted(names)
--- change 3
O.f.__defaults__ = None
g.__defaults__ = (9,)
--- change 4
del h.__wrapped__
--- change 5
g.__code__ = (lambda a, b, *kv: a).__code__
=== mappingproxy_made: compiles
import types
held = {"a": 2.0}
def step(x):
    own = {"b": 3.0}
    p, q = types.MappingProxyType(held), types.MappingProxyType(own)
    own["c"] = 4.0
    return x * p["a"] + len(q) + sum(q.values()), [*q, *p], "c" in q, q.get("z")
--- change 3
held["a"], held["d"] = 5.0, 1.0
=== mappingproxy_given_back:
import types
def step(x):
    own = {"b": x * 3.0}
    q = types.MappingProxyType(own)
    own["c"] = x
    return q["b"], q
=== subclasses_asked: compiles
class A: k = 1.0
class B(A): k = 2.0
def step(x): return x * sum(c.k for c in A.__subclasses__())
--- change 3
class C(A): k = 4.0
=== import_of_what_is_not_loaded: compiles
import sys
sys.modules.pop("colorsys", None)
def step(x):
    import colorsys
    return x * colorsys.ONE_THIRD
=== code_of_a_function_read: compiles
def f(x, k=2.0): return x * k
def step(x): return f(x) * len(f.__code__.co_varnames) + f.__code__.co_argcount + len(f.__code__.co_name)
--- change 3
f.__code__ = (lambda x, k, q: x).__code__.replace(co_argcount=2)
=== text_of_a_class: compiles
class A: pass
a = A()
def step(x): return x * len(str(type(a))) + len(repr(A)) * str(type(x)).startswith("<class 'torch")
--- change 3
A.__qualname__ = "AnotherName"
=== constants_of_an_enum_of_numbers_compared: compiles
import enum
class E(enum.IntEnum):
    A = 1
    B = 2
    def __str__(self): return "E"
held = [E.A]
def step(x):
    return x * (2.0 if held[0] == E.B else 3.0) * (held[0] not in (E.B, E.A)) + x * (held[0] < E.B)
--- change 3
held[0] = E.B
=== wrapped_functions_unwrapped: compiles
import inspect
def plain(x): return x * 2
@functools.wraps(plain)
def f(x): return plain(x) * 3
held = [f]
def step(x): return inspect.unwrap(held[0])(x) + held[0](x)
--- change 3
held[0] = lambda x: x * 7
=== identity_of_a_function: compiles
f, g = (lambda x: x * 2), (lambda x: x * 2)
held = [f]
known = id(f)
def step(x): return held[0](x) * (1.0 if id(held[0]) == known else 5.0)
--- change 3
held[0] = g
=== constant_of_an_enum_by_itself: compiles
import enum
class E(enum.IntEnum):
    A = 1
    B = 2
held = [E.A]
def step(x): return x * E(held[0]).value
--- change 3
held[0] = E.B
=== cached_property_made_in_a_call:
class O:
    k = 2.0
    @functools.cached_property
    def double(self): return self.k * 2
o = O()
def step(x): return x * o.double
--- change 3
o.k = 5.0
--- change 5
del o.double
--- state
vars(o)
=== single_dispatch_registered_later:
@functools.singledispatch
def f(a, x): return x
@f.register
def _(a: int, x): return x * 2
class B: pass
o = B()
def step(x): return f(o, x) + f(1, x)
--- change 3
f.register(B, lambda a, x: x * 5)
=== wrapped_function_replaced: compiles
def f(x): return x * 2
@functools.wraps(f)
def g(*a): return g.__wrapped__(*a)
def step(x): return g(x)
--- change 3
g.__wrapped__ = lambda x: x * 3
=== decorator_that_counts:
calls = collections.Counter()
def counted(f):
    @functools.wraps(f)
    def inner(*a):
        calls[f.__name__] += 1
        return f(*a)
    return inner
@counted
def f(x): return x * 2
def step(x): return f(x) + f(x)
--- state
dict(calls)
=== slots_deleted: raises compiles
class O: __slots__ = ("k",)
o = O(); o.k = 2.0
def step(x): return x * o.k
--- change 3
del o.k
=== object_replaced_by_equal_object: compiles
class O:
    def __init__(self, k): self.k = k
    def __eq__(self, other): return True
    __hash__ = None
o = O(2.0)
def step(x): return x * o.k
--- change 3
o = O(3.0)
=== callee_keyword_order: compiles
def f(**kw): return list(kw)
kw = {"a": 1, "b": 2}
def step(x): return x * (2 if f(**kw)[0] == "a" else 3)
--- change 3
kw = {"b": 2, "a": 1}
=== module_level_getattr_added: raises
lib = types.ModuleType("lib")
def step(x): return x * lib.k
--- change 3
lib.__getattr__ = lambda name: 2.0
--- change 5
lib.k = 9.0
=== module_replaced_in_sys_modules:
one, two = types.ModuleType("program_lib"), types.ModuleType("program_lib")
one.k, two.k = 2.0, 3.0
sys.modules["program_lib"] = one
def step(x):
    import program_lib
    return x * program_lib.k
--- change 3
sys.modules["program_lib"] = two
--- after
del sys.modules["program_lib"]
=== import_inside_fails_later: raises
sys.modules["program_lib"] = types.ModuleType("program_lib")
def step(x):
    import program_lib
    return x * 2
--- change 3
sys.modules["program_lib"] = None
--- after
del sys.modules["program_lib"]
=== from_import_inside:
lib = sys.modules["program_lib"] = types.ModuleType("program_lib")
lib.k = 2.0
def step(x):
    from program_lib import k
    return x * k
--- change 3
lib.k = 3.0
--- after
del sys.modules["program_lib"]
=== partial_of_a_partial_whose_keywords_change: compiles
scale = functools.partial(lambda x, a, b=0.0: x * a + b, a=2.0)
def step(x): return functools.partial(scale, b=1.0)(x)
--- change 2
scale.keywords['a'] = 3.0
''')
