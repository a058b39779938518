"""Programs of Python's forms: match, generators, coroutines, signatures, scopes, nested calls."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== match_on_value: compiles
mode = "a"
def step(x):
    match mode:
        case "a": return x * 2
        case "b" | "c": return x * 3
        case _: return x
--- change 2
mode = "c"
--- change 4
mode = "z"
=== match_on_class: compiles
@dataclasses.dataclass
class P:
    k: float
o = P(2.0)
def step(x):
    match o:
        case P(k=2.0): return x * 2
        case P(k=k): return x * k
        case _: return x
--- change 2
o.k = 5.0
--- change 4
o = None
=== match_on_mapping: compiles
d = {"k": 2.0}
def step(x):
    match d:
        case {"k": k, "j": j}: return x * k * j
        case {"k": k}: return x * k
        case _: return x
--- change 3
d["j"] = 3.0
=== walrus_and_conditions: compiles
k = 2.0
def step(x):
    if (j := k * 2) > 5: x = x + j
    return x * j
--- change 3
k = 3.0
=== while_with_else: compiles
k = 3
def step(x):
    i = 0
    while i < k:
        x = x + i
        i += 1
        if i == 4: break
    else:
        x = x * 2
    return x
--- change 3
k = 6
=== for_with_else_and_continue: compiles
l = [1, 2, 3]
def step(x):
    for v in l:
        if v == 2: continue
        if v == 9: break
        x = x + v
    else:
        x = x * 2
    return x
--- change 3
l.append(9)
=== try_with_else: compiles
d = {"a": 2.0}
def step(x):
    try:
        k = d["a"]
    except KeyError:
        return x
    else:
        x = x * k
    finally:
        x = x + 1
    return x
--- change 3
d.clear()
=== nested_comprehensions: compiles
rows = [[1.0, 2.0], [3.0]]
def step(x): return x * sum(v for row in rows for v in row if v != 2.0), {i: x * i for i in range(len(rows))}
--- change 3
rows.append([4.0])
=== conditional_expression_chain: compiles
k = 1
def step(x): return x if k == 0 else x * 2 if k == 1 else x * 3
--- change 2
k = 2
--- change 4
k = 0
=== chained_comparison: compiles
k = 1
def step(x): return x * 2 if 0 < k <= 2 else x * 3
--- change 3
k = 3
=== logic_short_circuit:
log = []
def ask(v):
    log.append(v)
    return v
k = False
def step(x): return x * 2 if ask(k) and ask(True) else x * 3
--- change 3
k = True
--- state
log
=== star_arguments: compiles
args, kwargs = [2.0], {"b": 3.0}
def f(x, a, b=1.0, *more): return x * a + b + sum(more)
def step(x): return f(x, *args, **kwargs)
--- change 3
args.append(4.0); args.append(5.0); kwargs.clear()
=== positional_only: raises compiles
def step(x, k=2.0, /): return x * k
--- call
torch.ones(3), **({"k": 3.0} if n == 3 else {})
=== keyword_only_missing: raises compiles
def step(x, *, k): return x * k
--- call
torch.ones(3), **({} if n == 3 else {"k": 3.0})
=== variable_arguments: compiles
def step(*xs, **kw): return sum(xs) * len(xs) + sum(kw.values())
--- call
*(torch.ones(3),) * (n % 2 + 1), **({"a": 1.0} if n > 3 else {})
=== default_tensor: compiles
t = torch.ones(3)
def step(x, y=t): return x * y
--- change 3
t.add_(1)
=== annotations_read: compiles
def f(x: 2.0): return x * f.__annotations__["x"]
def step(x): return f(x)
--- change 3
f.__annotations__["x"] = 3.0
=== docstring_and_name_read: compiles
def f(x):
    "two"
    return x * len(f.__doc__) + len(f.__name__)
def step(x): return f(x)
--- change 3
f.__doc__ = "longer"; f.__name__ = "other"
=== module_name_read: compiles
def step(x): return x * len(__name__)
--- change 3
__name__ = "another name"
=== generator_function_compiled: drop
def step(x):
    yield x * 2
    yield x * 3
step = compiled(step)
plain = step
def step(x): return list(plain(x))
=== generator_function_left_open: drop
log = []
def step(x):
    log.append("in")
    yield x * 2
    log.append("out")
plain = compiled(step)
def step(x): return next(plain(x))
--- state
log
=== coroutine:
async def f(x): return x * 2
def step(x):
    made = f(x)
    try:
        made.send(None)
    except StopIteration as end:
        return end.value
=== coroutine_function_compiled:
async def step(x): return x * 2
plain = compiled(step)
def step(x):
    made = plain(x)
    try:
        made.send(None)
    except StopIteration as end:
        return end.value
=== static_and_class_methods_compiled: compiles
class O:
    k = 2.0
    @classmethod
    @compiled
    def f(cls, x): return x * cls.k
    @staticmethod
    @compiled
    def g(x): return x + O.k
def step(x): return O.f(x) + O.g(x)
--- change 3
O.k = 3.0
=== decorated_by_no_grad: compiles
w = torch.ones(3, requires_grad=True)
@compiled
@torch.no_grad()
def step(x): return x * w
--- change 3
w.data.mul_(2)
=== compiled_then_no_grad: compiles
w = torch.ones(3, requires_grad=True)
@torch.no_grad()
@compiled
def step(x): return x * w
=== decorated_by_inference_mode: compiles
w = torch.ones(3, requires_grad=True)
@compiled
@torch.inference_mode()
def step(x): return x * w
=== decorated_with_effect:
log = []
def told(f):
    @functools.wraps(f)
    def inner(*a):
        log.append("before")
        y = f(*a)
        log.append("after")
        return y
    return inner
@compiled
@told
def step(x): return x * 2
--- state
log
=== two_compiled_of_one: compiles
k = 2.0
def f(x): return x * k
a, b = compiled(f), compiled(f)
def step(x): return a(x) + b(x * 2)
--- change 3
k = 3.0
=== compiled_again: compiles
k = 2.0
def f(x): return x * k
step = compiled(compiled(f))
--- change 3
k = 3.0
=== reset_between: compiles
k = 2.0
def step(x): return x * k
--- change 3
torch.compiler.reset(); k = 3.0
=== re_entered:
log = []
def f(x, again):
    log.append(len(log))
    return again(x * 2, None) + 1 if again is not None else x
plain = compiled(f)
def step(x): return plain(x, plain)
--- state
log
=== called_by_two_threads: compiles
k = [2.0]
def f(x): return x * k[0]
plain = compiled(f)
def step(x):
    out = {}
    def work(i): out[i] = plain(x + i)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads: t.start()
    for t in threads: t.join()
    return [out[i] for i in range(2)]
--- change 3
k[0] = 3.0
=== inner_nonlocal_counter: compiles
def step(x):
    total = 0
    def add(v):
        nonlocal total
        total += v
        return x * total
    return add(1) + add(2)
=== global_in_nested_function:
calls = 0
def step(x):
    def up():
        global calls
        calls += 1
        return calls
    return x * up()
--- state
calls
=== local_deleted: compiles
k = 2.0
def step(x):
    y = x * k
    del x
    return y
=== unbound_local: raises
k = 1
def step(x):
    if k: y = x * 2
    return y
--- change 3
k = 0
=== chained_assignment_aliases: compiles
def step(x):
    a = b = x * 1
    a.add_(1)
    c, d = b, a
    return c, d, a is b
=== augmented_assignment_rebinds: compiles
t = torch.ones(3)
def step(x):
    y = x
    y = y + t
    y += 1
    return y, x
--- state
t
=== augmented_assignment_of_argument: compiles
def step(x):
    x += 1
    return x * 2
=== augmented_assignment_of_state_list:
l = [1.0]
def step(x):
    global l
    l += [2.0]
    return x * len(l)
--- state
l
=== augmented_assignment_of_state_tensor: compiles
t = torch.zeros(3)
def step(x):
    global t
    t += x
    return t * 1
--- state
t
=== augmented_item: compiles
l = [torch.zeros(3)]
def step(x):
    l[0] += x
    return l[0] * 1
--- state
l
=== slice_assignment_of_state: compiles
t = torch.zeros(4)
def step(x):
    t[1:] = x
    t[0] += 1
    return t.sum()
--- state
t
=== operator_functions: compiles
l = [2.0]
def step(x): return operator.mul(x, operator.getitem(l, 0))
--- change 3
l[0] = 3.0
=== operator_setitem:
l = [1.0]
def step(x):
    operator.setitem(l, 0, l[0] + 1)
    return x * l[0]
--- state
l
=== out_argument_of_state: compiles
t = torch.zeros(3)
def step(x):
    torch.add(x, 1, out=t)
    return t * 2
--- state
t
=== out_argument_returned: compiles
t = torch.zeros(3)
def step(x): return torch.mul(x, 2, out=t)
--- state
t
=== requires_grad_set_inside:
def step(x):
    x.requires_grad_()
    (x * x).sum().backward()
    return x.grad
=== parameter_assigned_inside:
m = nn.Linear(3, 2)
def step(x):
    m.weight = nn.Parameter(m.weight.detach() * 0.5)
    return m(x)
--- state
m
=== buffer_registered_inside:
m = nn.Module()
def step(x):
    m.register_buffer("b", x * 2)
    return m.b + 1
--- state
m
=== submodule_added_inside:
m = nn.Sequential()
def step(x):
    m.append(nn.Tanh())
    return m(x)
--- state
len(m)
=== state_loaded_inside:
m = nn.Linear(3, 2)
new = {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}
def step(x):
    m.load_state_dict(new)
    return m(x)
--- change 3
new["bias"] = torch.ones(2)
--- state
m
=== tensors_swapped: raises
a, b = torch.ones(3), torch.zeros(3)
def step(x): return x + a
--- change 3
torch.utils.swap_tensors(a, b)
--- state
a, b
=== saved_tensors_hooks:
w = torch.ones(3, requires_grad=True)
log = []
def step(x):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(1), t)[1], lambda t: t):
        y = (x * w * w).sum()
    y.backward()
    return y.detach()
--- state
len(log), w.grad
=== record_function: compiles
def step(x):
    with torch.profiler.record_function("part"):
        return x * 2
=== null_context: compiles
train = True
w = torch.ones(3, requires_grad=True)
def step(x):
    with contextlib.nullcontext() if train else torch.no_grad():
        return x * w
--- change 3
train = False
=== grad_function_name_read:
w = torch.ones(3, requires_grad=True)
def step(x):
    y = x * w
    return y, type(y.grad_fn).__name__
=== version_of_argument_read:
def step(x):
    before = x._version
    x.add_(1)
    return x * 1, x._version - before
=== tensor_type_read: compiles
def step(x): return x * 2, torch.is_tensor(x), type(x).__name__, x.is_floating_point(), str(x.device)
=== shape_arithmetic: compiles
def step(x):
    n, m = x.shape
    return x.reshape(m, n).sum(0) / (n * m)
--- call
torch.ones(n % 3 + 1, 2)
=== vmap_inside: compiles
k = 2.0
def step(x): return torch.vmap(lambda v: v * k)(x)
--- change 3
k = 3.0
=== functional_gradient_inside: compiles
k = 2.0
def step(x): return torch.func.grad(lambda v: (v * v * k).sum())(x)
--- change 3
k = 3.0
''')
