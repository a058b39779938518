"""Programs that raise in some calls, and catch inside or outside, with effects before and after."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== raised_by_flag: raises
bad = False
def step(x):
    if bad: raise ValueError("bad")
    return x * 2
--- change 3
bad = True
--- change 5
bad = False
=== raised_always: raises
def step(x): raise ValueError("always", x.shape[0])
=== raised_in_first_call: raises
calls = 0
def step(x):
    global calls
    calls += 1
    if calls == 1: raise KeyError("first")
    return x * 2
=== raised_with_tensor_text: raises
def step(x): raise ValueError(f"got {x.tolist()}")
=== raised_by_shape: raises
t = torch.ones(3)
def step(x): return x + t
--- call
torch.ones(4 if n == 3 else 3)
=== raised_by_dtype: raises
m = nn.Linear(3, 2)
def step(x): return m(x)
--- call
torch.ones(3, dtype=torch.float64 if n == 3 else torch.float32)
=== raised_by_index: raises
l = [torch.ones(3), torch.zeros(3)]
k = 0
def step(x): return x * l[k]
--- change 3
k = 5
=== raised_by_tensor_index: raises
t = torch.arange(12.0).reshape(4, 3)
def step(x, i): return x * t[i]
--- call
torch.ones(3), torch.tensor(9 if n == 3 else n % 4)
=== raised_by_gather_range: raises
m = nn.Embedding(4, 3)
def step(i): return m(i)
--- call
torch.tensor([9 if n == 3 else n % 4])
=== raised_by_conversion: raises
def step(x): return x * x.item()
=== raised_by_missing_argument: raises
def step(x, y): return x * y
--- call
torch.ones(3), *((torch.ones(3),) if n != 3 else ())
=== raised_by_unknown_keyword: raises
def step(x, y=1): return x * y
--- call
torch.ones(3), **({"z": 1} if n == 3 else {})
=== raised_by_none: raises
def step(x): return x * 2
--- call
None if n == 3 else torch.ones(3)
=== raised_by_in_place_on_leaf: raises
w = torch.ones(3, requires_grad=True)
def step(x): return w.add_(x)
--- state
w
=== raised_by_second_backward: raises
w = torch.ones(3, requires_grad=True)
def step(x):
    y = (x * w * w).sum()
    y.backward()
    y.backward()
--- state
w.grad
=== raised_by_no_gradient: raises
def step(x):
    y = x.sum()
    y.backward()
    return y
--- call
torch.ones(3, requires_grad=n > 3)
=== raised_by_view_of_leaf: raises
w = torch.ones(3, requires_grad=True)
def step(x):
    w[0] = 1.0
    return w
=== raised_after_effects: raises
log = []
t = torch.zeros(3)
def step(x):
    t.add_(1)
    log.append(len(log))
    if len(log) > 3: raise RuntimeError(f"after {len(log)}")
    return x * t
--- state
t, log
=== raised_after_draw: raises
bad = False
def step(x):
    y = torch.rand(3)
    if bad: raise RuntimeError("bad")
    return x * y
--- change 3
bad = True
=== raised_after_backward: raises
bad = False
w = torch.ones(3, requires_grad=True)
def step(x):
    (x * w).sum().backward()
    if bad: raise RuntimeError("bad")
    return x * 1
--- change 3
bad = True
--- state
w.grad
=== caught_inside: compiles
bad = False
def f(x):
    if bad: raise ValueError("bad")
    return x * 2
def step(x):
    try:
        return f(x)
    except ValueError:
        return x * 3
--- change 3
bad = True
=== caught_key_error: compiles
d = {"a": 2.0}
def step(x):
    try:
        return x * d["b"]
    except KeyError:
        return x * d["a"]
--- change 3
d["b"] = 5.0
=== caught_attribute_error: compiles
class O: pass
o = O()
def step(x):
    try:
        return x * o.k
    except AttributeError:
        return x * 2
--- change 3
o.k = 5.0
=== caught_name_error:
def step(x):
    try:
        return x * later
    except NameError:
        return x * 2
--- change 3
later = 5.0
=== caught_stop_iteration:
i = iter([1.0, 2.0, 3.0])
def step(x):
    try:
        return x * next(i)
    except StopIteration:
        return x * 9
=== caught_shape_error:
t = torch.ones(3)
def step(x):
    try:
        return x + t
    except RuntimeError as error:
        return str(error)
--- call
torch.ones(4 if n > 2 else 3)
=== caught_index_range:
t = torch.arange(12.0).reshape(4, 3)
def step(x, i):
    try:
        return x * t[i]
    except IndexError:
        return x * 50
--- call
torch.ones(3), torch.tensor([9 if n > 2 else n % 4])
=== caught_and_logged:
log = []
def step(x):
    try:
        raise ValueError(len(log))
    except ValueError as error:
        log.append(str(error))
    return x * 2
--- state
log
=== caught_and_raised_from: raises
def step(x):
    try:
        {}["k"]
    except KeyError as error:
        raise ValueError("outer") from error
=== caught_finite_check:
def step(x):
    y = torch.log(x - 4)
    if not torch.isfinite(y).all():
        return x
    return y
=== suppressed:
d = {}
def step(x):
    with contextlib.suppress(KeyError):
        return x * d["k"]
    return x * 2
--- change 3
d["k"] = 5.0
=== finally_effect:
log = []
def step(x):
    try:
        return x * 2
    finally:
        log.append("done")
--- state
log
=== finally_effect_on_raise: raises
log = []
bad = False
def step(x):
    try:
        if bad: raise ValueError("bad")
        return x * 2
    finally:
        log.append("done")
--- change 3
bad = True
--- state
log
=== finally_restores:
class O: k = 2.0
def step(x):
    try:
        O.k = 5.0
        return x * O.k
    finally:
        O.k = 2.0
--- state
O.k
=== context_manager_swallows:
class C:
    swallow = True
    def __enter__(self): return self
    def __exit__(self, kind, error, trace): return self.swallow
c = C()
def step(x):
    with c:
        return x * {}["k"]
    return x * 2
=== context_manager_stops_swallowing: raises
class C:
    swallow = True
    def __enter__(self): return self
    def __exit__(self, kind, error, trace): return self.swallow
c = C()
def step(x):
    with c:
        raise ValueError("bad")
    return x * 2
--- change 3
c.swallow = False
=== own_exception_class: raises
class Own(Exception):
    def __init__(self, k):
        super().__init__(f"own {k}")
        self.k = k
k = 1
def step(x):
    if k > 1: raise Own(k)
    return x * k
--- change 3
k = 2
=== exception_group: raises
bad = False
def step(x):
    if bad: raise ExceptionGroup("both", [ValueError("a"), KeyError("b")])
    return x * 2
--- change 3
bad = True
=== exit_inside: raises
bad = False
def step(x):
    if bad: sys.exit("bye")
    return x * 2
--- change 3
bad = True
=== recursion_error:
def f(x, k): return f(x, k + 1)
deep = False
def step(x):
    try:
        return f(x, 0) if deep else x * 2
    except RecursionError:
        return x * 3
--- change 3
deep = True
=== error_in_property: raises
class O:
    k = 1
    @property
    def v(self):
        if self.k > 1: raise AttributeError("not now")
        return 2.0
o = O()
def step(x): return x * o.v
--- change 3
o.k = 2
=== error_in_helper_then_fixed: raises
def f(x): return x * 2
def step(x): return f(x)
--- change 3
def f(x): raise OSError("gone")
--- change 5
def f(x): return x * 3
=== division_by_zero: raises
k = 2
def step(x): return x * (1 / k)
--- change 3
k = 0
=== tensor_division_by_zero: compiles
k = 2.0
def step(x): return x / k, -x / k
--- change 3
k = 0.0
=== error_in_hook: raises
w = torch.ones(3, requires_grad=True)
def step(x):
    (x * w).sum().backward()
    return x * 1
def fail(g): raise ValueError("in a hook")
--- change 3
w.register_hook(fail)
--- state
w.grad
=== error_in_optimizer: raises
m = nn.Linear(3, 1)
o = torch.optim.SGD(m.parameters(), lr=0.5)
def step(x):
    o.zero_grad()
    m(x).sum().backward()
    o.step()
--- call
torch.ones(4 if n == 3 else 3)
--- state
m, o, m.weight.grad
=== error_in_format: raises
def step(x): return f"{x.sum():.2f}", f"{x:.2f}"
=== error_text_of_broadcast: raises
def step(x, y): return x + y
--- call
torch.ones(3), torch.ones(n % 4)
=== error_in_matmul: raises
def step(x, y): return x @ y
--- call
torch.ones(2, 3), torch.ones(n % 4, 2)
=== error_of_iterating_scalar: raises
def step(x): return [y for y in x]
--- call
torch.ones(()) if n == 3 else torch.ones(2)
=== truth_of_many: raises
def step(x): return x * 2 if x > 0 else x
--- call
torch.ones(2) if n == 3 else torch.ones(1)
=== refusal_ends_the_trace_in_handlers
class Logged(torch.Tensor):
    log = []
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.log.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
w = torch.ones(3).as_subclass(Logged)
def step(x):
    try:
        x = x + w.sum().as_subclass(torch.Tensor)
    except RuntimeError:
        x = (x * w).as_subclass(torch.Tensor)
    finally:
        x = x - w.sum().as_subclass(torch.Tensor)
    return x
--- state
Logged.log
=== refusal_ends_the_trace_behind_a_with
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: g * 2)
log = []
def step(x):
    with contextlib.suppress(RuntimeError), torch.no_grad():
        x = x * w
    log.append(torch.is_grad_enabled())
    return x * w
--- state
log
=== number_of_a_tensor_beside_the_text_of_an_error: raises
class Missed(Exception):
    def __init__(self, v): self.v = v
    def __str__(self): return f"missed by {self.v + 1}"
def step(x, k):
    assert (x > 2).all(), ("too small", x.min().item())
    if k == 4: raise Missed(x.sum().item())
    if k == 5: raise ValueError("of a tensor", x)
    return x.sqrt()
--- call
torch.arange(3.0) + n, n
=== handler_of_errors_around_what_is_not_compiled
w = torch.ones(3, requires_grad=True)
@torch.compiler.disable
def plain(x): return x * w
def step(x):
    try: x = plain(x)
    except RuntimeError: x = x * 5
    return x * 2
=== errors_suppressed_around_what_is_not_compiled
plain = torch.compiler.disable(torch.sin)
def step(x):
    with contextlib.suppress(RuntimeError): x = plain(x)
    return x * 2
=== generator_handles_errors_of_what_is_not_compiled
plain = torch.compiler.disable(torch.sin)
def pulled(x):
    try: yield plain(x)
    except RuntimeError: yield x
def step(x): return [y * 2 for y in pulled(x)]
''')
