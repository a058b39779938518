"""Programs that read values of Python's library: dates, fractions, buffers, weak references."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== date_compared:
d = datetime.date(2020, 1, 1)
def step(x): return x * 2 if d < datetime.date(2021, 1, 1) else x * 3
--- change 3
d = datetime.date(2022, 1, 1)
=== datetime_parts:
d = datetime.datetime(2020, 1, 1, 5)
def step(x): return x * d.hour
--- change 3
d = d.replace(hour=7)
=== time_delta:
d = datetime.timedelta(seconds=2)
def step(x): return x * d.total_seconds()
--- change 3
d = d * 2
=== fraction:
k = fractions.Fraction(1, 2)
def step(x): return x * float(k)
--- change 3
k = fractions.Fraction(1, 4)
=== fraction_made_inside:
k = 2
def step(x): return x * float(fractions.Fraction(1, k))
--- change 3
k = 4
=== decimal_number:
k = decimal.Decimal("0.5")
def step(x): return x * float(k)
--- change 3
k = decimal.Decimal("0.25")
=== decimal_context:
def step(x): return x * float(decimal.Decimal(1) / decimal.Decimal(3))
--- change 3
decimal.getcontext().prec = 2
--- after
decimal.getcontext().prec = 28
=== path_parts:
p = pathlib.PurePosixPath("/a/b")
def step(x): return x * len(p.parts)
--- change 3
p = p / "c"
=== range_object: compiles
r = range(3)
def step(x):
    for i in r:
        x = x + i
    return x
--- change 3
r = range(1, 4)
=== slice_object: compiles
s = slice(0, 2)
def step(x): return x[s]
--- change 3
s = slice(1, 3)
=== ellipsis_and_none_index: compiles
i = (..., None)
def step(x): return x[i]
--- change 3
i = (None, ...)
=== device_and_dtype: compiles
t = torch.float64
def step(x): return x.to(t)
--- change 3
t = torch.int64
=== size_object: compiles
s = torch.Size([3, 1])
def step(x): return x.reshape(s)
--- change 3
s = torch.Size([1, 3])
=== array_module:
a = array.array("d", [2.0])
def step(x): return x * a[0]
--- change 3
a[0] = 3.0
=== byte_array:
a = bytearray(b"ab")
def step(x): return x * a[0]
--- change 3
a[0] = 1
=== memory_view:
a = bytearray(b"ab")
v = memoryview(a)
def step(x): return x * v[0]
--- change 3
a[0] = 1
=== string_template: compiles
name = "a"
d = {"k_a": 2.0, "k_b": 3.0}
def step(x): return x * d[f"k_{name}"]
--- change 3
name = "b"
=== string_methods: compiles
s = "2,3"
def step(x): return x * sum(int(p) for p in s.split(","))
--- change 3
s = "4,5"
=== mapping_proxy_of_class:
class O: k = 2.0
def step(x): return x * vars(O)["k"]
--- change 3
O.k = 3.0
=== chain_map_layer_added:
d = collections.ChainMap({"k": 2.0})
def step(x): return x * d["k"]
--- change 3
d.maps.insert(0, {"k": 3.0})
=== user_list:
l = collections.UserList([2.0])
def step(x): return x * l[0]
--- change 3
l[0] = 3.0
=== weak_value_dies: raises drop
class O: k = 2.0
o = O()
d = weakref.WeakValueDictionary(a=o)
def step(x): return x * d["a"].k
--- change 3
del o
=== weak_ref_dies: drop
class O: k = 2.0
o = O()
r = weakref.ref(o)
def step(x): return x * 2 if r() is None else x * 3
--- change 3
del o
--- state
r() is None
=== weak_proxy_dies: raises drop
class O: k = 2.0
o = O()
p = weakref.proxy(o)
def step(x): return x * p.k
--- change 3
del o
=== weak_set_shrinks: drop
class O: pass
a, b = O(), O()
s = weakref.WeakSet([a, b])
def step(x): return x * len(s)
--- change 3
del a
=== finalizer_runs_in_time: drop
class O: pass
log = []
o = O()
weakref.finalize(o, log.append, "gone")
def step(x): return x * (1 + len(log))
--- change 3
o = O()
--- state
list(log)
=== tensor_freed_with_its_holder: drop
t = torch.ones(3)
r = weakref.ref(t)
held = [t]
del t
def step(x): return x * held[0]
--- change 3
held[0] = torch.ones(3)
--- state
r() is None
=== weak_reference_made: compiles
p = torch.ones(3)
def step(x):
    found = weakref.ref(p)
    return x * found(), found() is p
--- change 3
p = torch.full((3,), 2.0)
=== weak_reference_to_what_is_made
def step(x):
    y = x * 2
    found = weakref.ref(y)
    del y
    return x, found() is None
=== weak_reference_kept
p, kept = torch.ones(3), []
def step(x):
    kept.append(weakref.ref(p))
    return x * kept[-1]()
--- state
len(kept), kept[-1]() is p
=== tensors_told_by_cdata: compiles
p, held = torch.ones(3), []
held.append(p)
def step(x): return x * 2 if p._cdata == held[0]._cdata else x * 3
--- change 3
p = torch.full((3,), 2.0)
=== bisected_by_tensors: compiles
import bisect
times = [0.5, 1.0, 1.0, 2.0]
def step(x): return x * bisect.bisect(times, x.sum()) + bisect.bisect_left(times, x.sum().item(), 1)
--- change 3
times.insert(0, 0.25)
=== bisected_between_ends: compiles
import bisect
fs = bisect.bisect, bisect.bisect_left
def step(x): return [x * f([1, 2, 2, 3], n, 1, 3) for n in range(5) for f in fs]
=== aliases_with_parameters: compiles
A = dict[str, typing.TypeVar("T")]
def step(x): return typing.cast(A[int], x) * 2 + typing.cast(typing.Dict[str, typing.List[float]], x)
=== points_of_quadratures: compiles
def step(x):
    points, weights = np.polynomial.legendre.leggauss(3)
    return sum(w * torch.exp(x * p) for p, w in zip(points.tolist(), weights.tolist()))
=== objects_that_functions_with_derivatives_are_given: compiles
class O:
    k = 2.0
    def __call__(self, x): return x * self.k
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, x):
        ctx.f = f
        return f(x) + getattr(f, "missing", 1)
    @staticmethod
    def backward(ctx, g): return None, g * ctx.f.k
o = O()
def step(x): return F.apply(o, x)
--- change 3
O.k = 3.0
=== errors_that_callers_handle
errors = []
def told(x): return x * (2 if sys.exc_info()[0] is None else 3)
inner = torch.compile(told)
def step(x):
    if not errors: return inner(x)
    try: raise errors[0]
    except ValueError: return inner(x)
--- change 3
errors.append(ValueError())
=== frames_of_callers: compiles
def where():
    frame = sys._getframe(1)
    return frame.f_code.co_name, frame.f_lineno, frame.f_code.co_filename
class C:
    @property
    def line(self): return sys._getframe(1).f_lineno
c = C()
def step(x):
    names = [where() for _ in range(2)]
    return x * 2, where(), names, c.line, sys._getframe(0).f_code.co_name
=== frames_within_what_the_library_calls
class K:
    def __deepcopy__(self, memo): return sys._getframe(1).f_code.co_name
def step(x): return x * 2, copy.deepcopy(K())
=== variables_of_frames
def where(): return sys._getframe(1).f_locals["k"]
def step(x):
    k = float(where_from[0])
    return x * where()
where_from = [2]
--- change
where_from[0] += 1
=== weak_references_to_what_was_there: compiles
w = torch.nn.Parameter(torch.ones(3))
def step(x):
    w.ref = weakref.ref(w)
    return x * w.ref()
--- state
w.ref() is w
=== weak_references_as_results
w = torch.nn.Parameter(torch.ones(3))
def step(x):
    return x * 2, [weakref.ref(w)]
--- state
last[1][0]() is w
=== threads_told_by_number: compiles
caches = {}
def step(x): return x * (2 if threading.get_ident() in caches else 3)
--- change 3
caches[threading.get_ident()] = 1
=== threads_told_by_number_in_others
first = threading.get_ident()
def step(x): return x * (2 if threading.get_ident() == first else 3)
--- thread 3
last = step(torch.ones(3))
=== methods_put_together: compiles
class C:
    k = 2.0
    def close(self, *error): closed.append(self.k)
closed = []
def scale(self, x): return x * self.k
c = C()
def step(x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.nullcontext())
        stack.push(c.close)
        y = types.MethodType(scale, c)(x)
    return y
--- change 3
c.k = 3.0
--- state
list(closed)
=== methods_put_together_of_what_is_made
class C: pass
def step(x):
    def f(self): return x
    return x * 2, types.MethodType(f, c)
c = C()
=== methods_put_together_of_tensors
def scale(t): return t * 2
def step(x): return x * 2, types.MethodType(scale, x * 3)
=== signatures_of_callers: compiles
import inspect
class M(torch.nn.Module):
    def forward(self, x, k=2.0): return x * k
m = M()
@functools.wraps(m.forward)
def wrapped(*args): return m(*args)
def step(x):
    return wrapped(x) * len(inspect.signature(m.forward).parameters), inspect.unwrap(wrapped)(x)
=== wrapped_in_a_circle: raises
import inspect
def f(x): return x
def g(x): return x
f.__wrapped__, g.__wrapped__ = g, f
def step(x): return x * (1 if inspect.unwrap(f, stop=lambda h: h is g) is g else 2), inspect.unwrap(f)
=== code_of_a_generator_made_inside: compiles
def numbers():
    yield 1
given = numbers()
def step(x):
    g = numbers()
    same = g.gi_code is numbers.__code__, given.gi_code is numbers.__code__
    return x * 2, same, g.gi_code.co_consts, next(g)
--- change 3
def numbers(): yield 2
''')
