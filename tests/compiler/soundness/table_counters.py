"""Programs with effects on Python state: counters, containers that grow, settings, threads."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== global_counter:
calls = 0
def step(x):
    global calls
    calls += 1
    return x * calls
--- state
calls
=== global_counter_unused:
calls = 0
def step(x):
    global calls
    calls += 1
    return x * 2
--- state
calls
=== class_counter:
class O: calls = 0
def step(x):
    O.calls += 1
    return x * 2
--- state
O.calls
=== item_counter:
l, d = [0], {"k": 0}
def step(x):
    l[0] += 1
    d["k"] += 2
    return x * l[0] + d["k"]
--- state
l, d
=== set_grows:
s = set()
def step(x):
    s.add(len(s))
    return x * len(s)
--- state
s
=== list_grows_and_is_read:
l = []
def step(x):
    l.append(len(l))
    return x * sum(l)
--- state
l
=== list_of_tensors_grows:
l = []
def step(x):
    l.append(x * 2)
    return sum(l)
--- state
l
=== dict_grows:
d = {}
def step(x):
    d[len(d)] = x + 1
    return x * len(d)
--- state
d
=== dict_set_default:
d = {}
def step(x): return x * d.setdefault("k", torch.ones(3))
--- state
d
=== dict_updated_and_popped:
d = {"a": 1.0}
def step(x):
    d.update(b=2.0)
    return x * d.pop("b")
--- state
d
=== list_popped: raises
l = [1.0, 2.0, 3.0]
def step(x): return x * l.pop()
--- state
l
=== list_sorted_in_place:
l = [3.0, 1.0, 2.0]
def step(x):
    l.sort()
    return x * l[0]
--- change 3
l.insert(0, 0.5); l.reverse()
--- state
l
=== list_restored_in_call:
l = [1.0]
def step(x):
    l.append(2.0)
    y = x * sum(l)
    l.pop()
    return y
--- state
l
=== deque_of_tensors:
d = collections.deque(maxlen=2)
def step(x):
    d.append(x * 2)
    return sum(d)
--- state
list(d)
=== priority_queue:
import heapq
h = [3.0, 5.0, 7.0]
def step(x):
    k = heapq.heappop(h)
    heapq.heappush(h, k + 3)
    return x * k
--- state
h
=== local_containers: compiles
def step(x):
    l, d = [], {}
    for k in range(3):
        l.append(x * k)
        d[k] = l[-1] + 1
    l.pop(0)
    return l, d
=== local_object: compiles
class O: pass
def step(x):
    o = O()
    o.y = x * 2
    o.z = o.y + 1
    del o.y
    return o.z
=== setattr_inside:
class O: pass
o = O()
def step(x):
    setattr(o, "seen", getattr(o, "seen", 0) + 1)
    return x * o.seen
--- state
o
=== delattr_inside: raises
class O: pass
o = O(); o.k = 2.0
def step(x):
    y = x * o.k
    del o.k
    return y
--- change 3
o.k = 5.0
=== global_deleted_inside: raises
k = 2.0
def step(x):
    global k
    y = x * k
    del k
    return y
--- change 3
k = 5.0
=== item_deleted_inside: raises
d = {"k": 2.0}
def step(x):
    y = x * d["k"]
    del d["k"]
    return y
--- state
d
=== function_made_and_stored:
made = []
def step(x):
    made.append(lambda y: y * 2)
    return made[-1](x)
--- state
len(made)
=== class_attribute_set_inside:
class O: k = 1.0
def step(x):
    O.k = O.k * 2
    return x * O.k
--- state
O.k
=== method_replaced_inside:
class O:
    def f(self, x): return x * 2
o = O()
def step(x):
    y = o.f(x)
    O.f = lambda self, x: x * 3
    return y
=== module_attribute_set_inside:
lib = types.ModuleType("lib"); lib.calls = 0
def step(x):
    lib.calls += 1
    return x * lib.calls
--- state
lib.calls
=== thread_started_inside:
log = []
def step(x):
    t = threading.Thread(target=log.append, args=(len(log),))
    t.start(); t.join()
    return x * len(log)
--- state
log
=== thread_computes_inside:
def step(x):
    out = []
    t = threading.Thread(target=lambda: out.append(x * 2))
    t.start(); t.join()
    return out[0]
=== pool_inside:
import concurrent.futures
def step(x):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: x * 2).result() + 1
=== lock_held_inside:
lock = threading.Lock()
log = []
def step(x):
    with lock:
        log.append(lock.locked())
    return x * 2
--- state
log, lock.locked()
=== context_variable_set_inside:
cv = contextvars.ContextVar("cv", default=0)
def step(x):
    cv.set(cv.get() + 1)
    return x * cv.get()
--- state
cv.get()
=== context_variable_reset_inside:
cv = contextvars.ContextVar("cv", default=1)
def step(x):
    token = cv.set(5)
    y = x * cv.get()
    cv.reset(token)
    return y
--- state
cv.get()
=== context_manager_with_effects:
log = []
class C:
    def __enter__(self): log.append("in")
    def __exit__(self, *a): log.append("out")
def step(x):
    with C():
        return x * 2
--- state
log
=== contextlib_manager_with_effects:
log = []
@contextlib.contextmanager
def c():
    log.append("in")
    yield 2.0
    log.append("out")
def step(x):
    with c() as k:
        return x * k
--- state
log
=== exit_stack: compiles
log = []
def step(x):
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, "done")
        return x * 2
--- state
log
=== setting_put_back:
class O: k = 2.0
o = O()
def step(x):
    held = o.k
    o.k = 5.0
    y = x * o.k
    o.k = held
    return y
--- state
o.k
=== order_of_effects:
log = []
t = torch.zeros(3)
def step(x):
    log.append(t.tolist())
    t.add_(x)
    log.append(t.tolist())
    return x * 2
--- state
log[-2:], t
=== memo_by_shape:
memo = {}
def step(x):
    key = tuple(x.shape)
    if key not in memo:
        memo[key] = torch.ones(key)
    return x * memo[key]
--- call
torch.ones(n % 2 + 1)
--- state
memo
=== id_as_key:
memo = {}
t = torch.ones(3)
def step(x):
    memo[id(t)] = memo.get(id(t), 0) + 1
    return x * memo[id(t)]
--- state
list(memo.values())
=== stack_inspected:
def step(x): return x * 2, sys._getframe().f_code.co_name
=== exec_defines_global:
def step(x):
    exec("made = 3.0", globals())
    return x * made
--- state
made
=== garbage_collected_inside:
import gc
def step(x):
    gc.collect(0)
    return x * 2
=== pickled_inside:
import pickle
def step(x): return pickle.loads(pickle.dumps(x)) * 2
=== assertion_of_state: raises
k = 1
def step(x):
    assert k == 1, "k is another"
    return x * k
--- change 3
k = 2
=== asserted_tensor: raises
def step(x):
    assert x.sum() < 15, "too large"
    return x * 2
=== version_of_what_is_transposed_in_place_by_a_view: compiles
t, same = torch.arange(8.0), torch.ones(3)
def step(x):
    t.view(2, 4).t_()
    same.copy_(same)
    return x * 2
--- state
t._version, same._version
''')
