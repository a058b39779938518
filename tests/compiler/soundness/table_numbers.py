"""Programs with numbers of a later time: their types, and the errors that they turn out to be."""

from __future__ import annotations

from .programs import read

PROGRAMS = read(r'''
=== number_asked_until_it_is_small: compiles
def step(x):
    y, drawn = x * 1, 0
    for k in range(100):
        y = y * 0.8 + 0.1 * y.flip(0).clone()
        if k == 3: drawn = torch.rand(2).sum() + y.sum()
        if k == 4 and drawn > 100: break
        if y.norm() < 1e-2: break
    return y, k, drawn
--- call
torch.arange(1.0, 4.0) + n % 2
=== round_tensor: raises
def step(x):
    return round(x)
--- call
torch.tensor(1.6)
=== round_tensor2: raises
def step(x):
    return round(x, 1)
--- call
torch.tensor(1.66)
=== divmod_tensor: raises
def step(x):
    return divmod(x, 2)
--- call
torch.tensor(5.5)
=== floor_tensor: raises
def step(x):
    return x * 2, math.floor(x), math.ceil(x), math.sqrt(x)
--- call
torch.tensor(5.5)
=== trunc_tensor: raises
def step(x):
    return x * 2, math.trunc(x)
--- call
torch.tensor(5.5)
=== index_tensor: raises
def step(x):
    return x * 2, operator.index(x)
--- call
torch.tensor(5.5)
=== index_tensor_int: raises
def step(x):
    return x * 2, operator.index(x), hex(x), chr(x), [1, 2, 3, 4][x]
--- call
torch.tensor(2)
=== deferred_is_true
def step(x):
    if (x > 0).any().item() is True:
        return x * 2
    return x * 3
--- call
torch.arange(3.0) - n
=== deferred_is_none: compiles
def step(x):
    v = x.sum().item()
    return x * (2 if v is None else 3), v is not None
=== deferred_floor_type: compiles
def step(x):
    v = math.floor(x.sum().item())
    return x * 2, isinstance(v, int), isinstance(v, float), type(v).__name__, v
=== deferred_isnan_type: compiles
def step(x):
    v = math.isnan(x.sum().item())
    return x * 2, isinstance(v, bool), type(v).__name__, v
=== deferred_neg_bool: compiles
def step(x):
    v = (x > 1).any().item()
    return x * 2, type(-v).__name__, type(abs(v)).__name__, type(+v).__name__, -v, isinstance(-v, bool)
=== deferred_inverted_bool
def step(x):
    v = (x > 1).any().item()
    return x * 2, type(~v).__name__, ~v
=== inverted_bool
k = [True]
def step(x): return x * ~k[0]
--- change 3
k[0] = 5
=== deferred_abs_complex: compiles
def step(x):
    v = x.sum().item()
    return type(abs(v)).__name__, abs(v)
--- call
torch.arange(3) * 1j
=== deferred_bool_arith: compiles
def step(x):
    v = (x > 1).any().item()
    return (x, type(v & True).__name__, type(v + True).__name__, type(v / 1).__name__,
        type(v ** 2).__name__, type(v // True).__name__, v | False)
=== deferred_unused_error: raises
def step(x):
    1 / (x.sum().item() - 3)
    return x * 2
--- call
torch.ones(3) + (n % 3 > 1)
=== deferred_caught_error
def step(x):
    try:
        v = 1 / (x.sum().item() - 3)
        ok = True
    except ZeroDivisionError:
        ok = False
    return x * 2, ok
--- call
torch.ones(3) + (n % 3 > 1)
=== deferred_caught_error2
def step(x):
    try:
        math.log(x.sum().item())
        ok = True
    except ValueError:
        ok = False
    return x * 2, ok
--- call
torch.ones(3) * (1 if n % 3 > 1 else -1)
=== deferred_caught_type_error
def step(x):
    try:
        v = x.sum().item() + 'a'
    except TypeError:
        v = 0
    return x * 2, v
=== deferred_int_nan
def step(x):
    try:
        int(x.sum().item())
    except ValueError:
        return x * 3
    return x * 2
--- call
torch.ones(3) * (1 if n % 3 != 1 else float('nan'))
=== deferred_format_error
def step(x):
    try:
        f'{x.sum().item():d}'
    except ValueError:
        return x * 3
    return x * 2
=== counter_caught_error
d = {'n': 3}
def step(x):
    k = d['n']
    d['n'] = k - 1
    try:
        10 // k
    except ZeroDivisionError:
        return x * 3
    return x * 2
--- state
dict(d)
=== counter_unused_error: raises
d = {'n': 3}
def step(x):
    k = d['n']
    d['n'] = k - 1
    10 // k
    return x * 2
--- state
dict(d)
=== deferred_pow_type
def step(x):
    v = int(x.sum().item())
    return x, type(v ** -1).__name__, type(v ** 2).__name__, v ** -1
=== deferred_round: compiles
def step(x):
    v = x.sum().item()
    return x * 2, round(v), round(v, 1), isinstance(round(v, 1), float)
=== deferred_isinstance_meta
log = []
class M(type):
    def __instancecheck__(cls, o):
        log.append(1)
        return True
class A(metaclass=M): pass
def step(x):
    return x * 2, isinstance(x.sum().item(), A)
--- state
len(log)
=== deferred_float_method
def step(x):
    v = x.sum().item()
    return x * 2, v.is_integer(), v.hex()
=== deferred_eq_chain
def step(x):
    v = x.sum().item()
    return x * 2, v in (3.0, 6.0), v == v, [v] == [3.0], {v: 1}, max(v, 4.0), sorted([v, 1.0])
=== number_decimal_context
D = decimal.Decimal('1.23456789012345678901234567890123')
def step(x):
    return x * 2, str(-D), str(+D), str(D.sqrt())
--- change 3
decimal.getcontext().prec = 5
--- change 5
decimal.getcontext().prec = 28
--- after
decimal.getcontext().prec = 28
=== kinds_of_numbers: compiles
def step(x):
    v = int(x.sum().item())
    b = (x > 1).any().item()
    return (x, type(v // 2).__name__, type(v % 2.0).__name__, type(v << 1).__name__,
        type(b + b).__name__, type(b & v).__name__, type(b ^ b).__name__, type(v ** 2).__name__,
        type(divmod(v, 2)[0]).__name__ if False else 0)
=== handled_errors_of_numbers
def step(x):
    v = x.sum().item()
    found = []
    for k in (lambda: 1 // (v - v), lambda: math.sqrt(-v - 1), lambda: math.factorial(-1),
        lambda: [1][int(v) + 5], lambda: '%d' % 'a', lambda: chr(-int(v) - 1), lambda: v < 'a',
        lambda: v @ 2, lambda: v << 1, lambda: -'a', lambda: int('x'),
        lambda: math.exp(v * 1000 + 1000)):
        try:
            k()
            found.append('')
        except Exception as e:
            found.append(type(e).__name__)
    return x * 2, found
=== speculated_after_error
def step(x):
    v = x.sum().item()
    if v > 3:
        return x * 2, 1 / (v - 3)
    return x * 3, 0
--- call
torch.ones(3) * (n % 3)
=== format_error_branches
G = {'f': '.2f'}
def step(x):
    try:
        return x * 2, format(x.sum().item(), G['f'])
    except ValueError as e:
        return x * 3, str(e)
--- change 3
G['f'] = 'zz'
--- change 5
G['f'] = 'd'
=== counter_beyond_what_a_number_holds: raises
k = 2**62
def step(x):
    global k
    k = k * 2
    return x * k
--- state
k
=== composed_margin: raises
k = 2.5
a = torch.arange(3.0) + 1
def step(x):
    global k
    k -= 0.5
    return torch.nn.functional.triplet_margin_loss(x[None], a[None], -a[None], margin=k)
--- state
k
=== composed_eps_of_zero
k = 1.5
def step(x):
    global k
    k -= 0.5
    return torch.nn.functional.normalize(x * 0, dim=0, eps=k), x.clamp_min(k)
--- state
k
=== composed_factors_of_zero: compiles
k = 3.0
def step(x):
    global k
    k -= 1.0
    nan = x[None] * math.nan
    return torch.addmm(nan, x[:1, None], x[None], beta=k), torch.addmm(x[None], nan.t()[:1], x[None], alpha=k)
--- state
k
=== composed_function_replaced
k = 1.0
def step(x):
    global k
    k += 0.5
    return torch.nn.functional.margin_ranking_loss(x, -x, x.sign(), margin=k)
--- change 3
from pullback.nn.functional import distance_loss
kept = distance_loss.ranking_loss
distance_loss.ranking_loss = lambda a, b, *_: a + b
--- change 5
distance_loss.ranking_loss = kept
=== composed_type_changes
k = 1
def step(x):
    global k
    k = k * 1.5 if k > 2 else k + 1
    return x.clamp_max(k), torch.rsub(x, k), torch.rsub(torch.arange(3), k)
--- state
k
=== fraction_of_an_argument_that_varies:
def step(x, k): return x * 2, fractions.Fraction(k), fractions.Fraction(k) + 1
--- call
torch.ones(3), n
=== fraction_of_a_counter:
k = 0
def step(x):
    global k
    k += 1
    return x * 2, fractions.Fraction(k)
=== number_of_a_tensor_is_the_length_of_a_queue:
def step(x):
    n = int(x.sum())
    try: return x * 2, collections.deque([1, 2, 3], maxlen=n % 3), collections.deque([n], n % 2)
    except TypeError as error: return str(error)
=== number_of_a_tensor_is_how_many_are_combined: compiles
def step(x):
    n = int(x.sum()) % 3
    try: return x * n, list(itertools.combinations([1, 2, 3], n)), list(itertools.product([1, 2], repeat=n))
    except TypeError as error: return str(error)
=== axis_of_a_sum_is_an_argument_that_varies: compiles
def step(x, k): return x.sum(k), torch.sum(x, k), x.mean(k), torch.mean(x, dim=k), x.sum(dim=k, keepdim=True)
--- call
torch.ones(2, 3) + n, n % 2
=== axis_of_a_sum_is_a_counter:
k = 0
def step(x):
    global k
    k += 1
    return x.sum(k % 2), x.mean(k % 2)
--- call
torch.ones(2, 3) + n
=== number_that_is_zero_as_a_limit: compiles
def step(x, k): return torch.clamp(x, max=k), x.clamp(min=k), x.clamp(k, k), x.clip(-k, k + 1)
--- call
torch.tensor([0.0, -0.0, 1.0, -1.0]), [1.0, 2.0, 3.0, -0.0, 0.0, 4.0, -0.0][n]
=== number_divided_by_a_tensor: compiles
def step(x, k): return k / x, (k + 1) / x.double(), k / x.int(), k / x.sum(), x.sum().item() / x
--- call
torch.tensor([2.5, -1.5, 7.0, 1e-40]) + 3 * (n == 1), [1.5, 2.5, 3.25, 0.0, 5.5, -7.0, 4.75][n]
=== number_of_one_element_has_no_axes: compiles
def step(x, b):
    total = x.sum() * b.item() + float(b)
    return total, x * (b.item() + 1), torch.add(x[0], b.item()), max(b.item(), 2) * x
--- call
torch.arange(3.0), torch.full([(), (1,), (1, 1), (1, 1, 1)][n % 4], n) * (1 if n > 3 else 1.5)
''')
