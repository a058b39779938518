"""Programs that call what classes of the user's define: constructors, operators, protocols."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== class_made_inside:
k = 2.0
def step(x):
    class O:
        def f(self, y): return y * k
    return O().f(x)
--- change 3
k = 3.0
=== init_subclass_counts:
class B:
    made = []
    def __init_subclass__(cls): B.made.append(cls.__name__)
def step(x):
    class O(B): pass
    return x * len(B.made)
--- state
B.made
=== new_and_init_read_state: compiles
k = 2.0
class O:
    def __init__(self, x): self.y = x * k
def step(x): return O(x).y
--- change 3
k = 3.0
=== init_replaced: compiles
class O:
    def __init__(self, x): self.y = x * 2
def step(x): return O(x).y
--- change 3
def other(self, x): self.y = x * 3
O.__init__ = other
=== instances_counted:
class O:
    count = 0
    def __init__(self): O.count += 1
def step(x):
    O()
    return x * O.count
--- state
O.count
=== equality_hook: compiles
class O:
    k = 1
    def __eq__(self, other): return self.k == 1
    def __hash__(self): return 0
o = O()
def step(x): return x * 2 if o == 5 else x * 3
--- change 3
o.k = 2
=== truth_hook: compiles
class O:
    k = 1
    def __bool__(self): return self.k == 1
o = O()
def step(x): return x * 2 if o else x * 3
--- change 3
o.k = 2
=== length_hook: compiles
class O:
    k = 1
    def __len__(self): return self.k
o = O()
def step(x): return x * len(o) if o else x
--- change 3
o.k = 0
--- change 5
o.k = 3
=== reflected_operator: compiles
class O:
    k = 2.0
    def __rmul__(self, other): return other * self.k
    def __radd__(self, other): return other + self.k
o = O()
def step(x): return (1.0 * o) * x + (2 + o)
--- change 3
o.k = 3.0
=== iteration_hook: compiles
class O:
    n = 2
    def __iter__(self): return iter(range(self.n))
o = O()
def step(x):
    for i in o:
        x = x + i
    return x
--- change 3
o.n = 4
=== contains_hook: compiles
class O:
    held = {1}
    def __contains__(self, k): return k in self.held
o = O()
def step(x): return x * 2 if 1 in o else x * 3
--- change 3
O.held = set()
=== format_hook:
class O:
    k = 2
    def __format__(self, spec): return str(self.k)
o = O()
def step(x): return x * int(f"{o}")
--- change 3
o.k = 3
=== del_hook:
log = []
class O:
    def __del__(self): log.append("gone")
def step(x):
    o = O()
    del o
    return x * len(log)
--- state
list(log)
''')
