"""Programs that log, warn, read clocks, and hold what they make in several places."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== clock_of_a_stretch: compiles
import time
def step(x):
    t = time.perf_counter()
    y = (x * 2).sum()
    e = time.perf_counter() - t
    e2 = time.time()
    return (y, e >= 0, 0 < time.time() - e2 < 5 or True, isinstance(e, float))
=== clock_in_a_list
import time
ts = []
def step(x):
    ts.append(time.time())
    y = x * 2
    ts.append(time.time())
    return y
--- state
len(ts), ts == sorted(ts), ts[-1] > 1e9, all(type(t) is float for t in ts)
=== clock_decides
import time
start = time.time()
def step(x):
    if time.time() - start > 1000:
        return x
    return x * 2
--- change 3
start -= 2000
=== log_of_numbers_and_tensors: compiles
log = logging.getLogger('p.x')
log.propagate = False
S = io.StringIO()
h = logging.StreamHandler(S)
h.setFormatter(logging.Formatter('%(levelname)s %(name)s %(message)s %(filename)s %(funcName)s %(lineno)d'))
log.handlers[:] = [h]
log.setLevel(logging.INFO)
def step(x):
    log.debug('hidden %s', x)
    y = x.sum()
    log.info('loss %.2f n=%d', y.item(), 3)
    log.warning(f'w {y}')
    x.mul_(2)
    log.error('x %s %r', x, (1, 'a'))
    return y
--- change 3
log.setLevel(logging.ERROR)
--- change 4
log.setLevel(logging.DEBUG)
--- change 5
h.setFormatter(None)
--- state
S.getvalue()
=== log_with_a_handler_of_its_own
class H(logging.Handler):
    def emit(s, r):
        seen.append((r.getMessage(), w.sum().item()))
seen = []
w = torch.zeros(2)
log = logging.getLogger('p.y')
log.propagate = False
log.setLevel(1)
log.handlers[:] = [H()]
def step(x):
    log.info('before')
    w.add_(1)
    log.info('after')
    return w * 1
--- state
seen
=== log_level_asked: compiles
log = logging.getLogger('p.z')
log.propagate = False
log.handlers[:] = [logging.NullHandler()]
log.setLevel(logging.INFO)
def step(x):
    if log.isEnabledFor(logging.DEBUG):
        x = x * 100
    logging.getLogger('p.z').info('x')
    return x * 2
--- change 3
log.setLevel(logging.DEBUG)
=== warnings_by_filters: compiles
def step(x):
    y = x * 2
    warnings.warn('old', DeprecationWarning)
    warnings.warn(f'sum {y.sum().item()}', category=RuntimeWarning)
    return y
--- change 2
warnings.simplefilter('ignore')
--- change 3
warnings.simplefilter('default')
--- change 5
warnings.filterwarnings('always', message='sum')
--- after
warnings.resetwarnings()
=== warning_that_is_an_error: raises
k = [0]
def step(x):
    k[0] += 1
    warnings.warn('bad', UserWarning)
    k[0] += 10
    return x * 2
--- change 3
warnings.simplefilter('error', UserWarning)
--- change 5
warnings.simplefilter('always')
--- state
k
=== warning_of_a_caller_inside
def helper(x):
    warnings.warn('deprecated', FutureWarning, stacklevel=2)
    return x
def step(x):
    helper(x)
    return helper(x) * 2
=== warning_of_a_caller_outside
def step(x):
    warnings.warn('deprecated', FutureWarning, stacklevel=2)
    return x
=== new_object_in_state_and_result: compiles
class S:
    pass
s = S()
s.last = None
def step(x):
    s.last = {'y': x * 2, 'n': [1, 2]}
    return s.last
--- change 3
last['y'].add_(100)
last['n'].append(3)
--- state
s.last
=== new_list_twice: compiles
def step(x):
    l = [x * 2]
    t = (l, l)
    return {'a': l, 'b': t}
--- change 2
last['a'].append(1)
=== new_list_that_holds_itself
def step(x):
    l = [x]
    l.append(l)
    return l
=== new_objects_in_one_another: compiles
def step(x):
    a = [x]
    b = {'a': a}
    c = [a, b]
    return (b, c, a)
--- change 3
last[0]['a'].append(7)
=== new_dict_in_two_places: compiles
hist = []
cur = [None]
def step(x):
    m = {'loss': x.sum(), 'n': len(hist)}
    hist.append(m)
    cur[0] = m
--- state
hist, cur, hist[-1] is cur[0]
''')
