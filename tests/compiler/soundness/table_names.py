"""Programs whose names, attributes and builtins are deleted, shadowed or become others."""

from __future__ import annotations

from .programs import read

PROGRAMS = read('''
=== global_deleted: raises compiles
k = 2.0
def step(x): return x * k
--- change 3
del k
--- change 5
k = 4.0
=== attribute_deleted: raises compiles
class O: pass
o = O(); o.k = 2.0
def step(x): return x * o.k
--- change 3
del o.k
=== attribute_deleted_falls_to_class: compiles
class O: k = 3.0
o = O(); o.k = 2.0
def step(x): return x * o.k
--- change 3
del o.k
=== class_attribute_deleted_falls_to_base: compiles
class B: k = 3.0
class O(B): k = 2.0
o = O()
def step(x): return x * o.k
--- change 3
del O.k
=== instance_shadows_class_later: compiles
class O: k = 3.0
o = O()
def step(x): return x * o.k
--- change 3
o.k = 2.0
=== subclass_shadows_base_later: compiles
class B: k = 3.0
class O(B): pass
o = O()
def step(x): return x * o.k
--- change 3
O.k = 2.0
=== instance_shadows_method_later: compiles
class O:
    def f(self, x): return x * 2
o = O()
def step(x): return o.f(x)
--- change 3
o.f = lambda x: x * 3
=== property_added_to_class_later:
class O: pass
o = O(); o.k = 2.0
def step(x): return x * o.k
--- change 3
O.k = property(lambda self: 5.0)
=== property_becomes_another: compiles
class O:
    @property
    def k(self): return 2.0
o = O()
def step(x): return x * o.k
--- change 3
O.k = property(lambda self: 5.0)
=== property_setter_with_effect:
class O:
    seen = []
    @property
    def k(self): return self._k
    @k.setter
    def k(self, v):
        self.seen.append(v)
        self._k = v
o = O(); o._k = 1
def step(x):
    o.k = o.k + 1
    return x * o.k
--- state
o.seen
=== non_data_descriptor_shadowed:
class D:
    def __get__(self, o, t): return 3.0
class O: k = D()
o = O()
def step(x): return x * o.k
--- change 3
o.__dict__["k"] = 2.0
=== non_data_descriptor_becomes_data:
class D:
    def __get__(self, o, t): return 3.0
class O: k = D()
o = O()
o.__dict__["k"] = 2.0
def step(x): return x * o.k
--- change 3
D.__set__ = lambda self, o, v: None
=== getattr_hook_added_later: raises
class O: pass
o = O()
def step(x): return x * getattr(o, "k", 2.0)
--- change 3
O.__getattr__ = lambda self, name: 5.0
=== hasattr_changes: compiles
class O: pass
o = O()
def step(x): return x * 2 if hasattr(o, "k") else x * 3
--- change 3
o.k = None
--- change 5
del o.k
=== isinstance_changes: compiles
class A: pass
class B(A): pass
o = A()
def step(x): return x * 2 if isinstance(o, B) else x * 3
--- change 3
o.__class__ = B
=== isinstance_by_abc_registration:
class A(abc.ABC): pass
class B: pass
o = B()
def step(x): return x * 2 if isinstance(o, A) else x * 3
--- change 3
A.register(B)
=== instance_check_hook:
held = [True]
class T(type):
    def __instancecheck__(cls, o): return held[0]
class A(metaclass=T): pass
o = object()
def step(x): return x * 2 if isinstance(o, A) else x * 3
--- change 3
held[0] = False
=== class_swapped_between_equal_layouts: compiles
class A:
    def f(self, x): return x * 2
class B:
    def f(self, x): return x * 3
o = A()
def step(x): return o.f(x)
--- change 3
o.__class__ = B
=== bases_changed_method: compiles
class A:
    def f(self, x): return x * 2
class B:
    def f(self, x): return x * 3
class O(A): pass
o = O()
def step(x): return o.f(x)
--- change 3
O.__bases__ = (B,)
=== global_shadows_builtin_later: compiles
def step(x): return x * abs(-2.0)
--- change 3
def abs(v): return v
=== global_shadows_len_later: compiles
l = [1, 2]
def step(x): return x * len(l)
--- change 3
len = lambda v: 10
--- change 5
del len
=== builtin_changed:
def step(x): return x * max(2.0, 1.0)
--- change 3
held = builtins.max
builtins.max = lambda *a: 7.0
--- change 5
builtins.max = held
=== builtin_added_under_free_name: raises
def step(x): return x * soundness_k
--- change 3
builtins.soundness_k = 2.0
--- change 5
del builtins.soundness_k
=== builtins_of_globals_replaced: raises
names = {'k': 1.0}
exec('def f(x): return x * k', names)
def step(x): return names['f'](x)
--- change 4
del names['k']; names['__builtins__'] = {'k': 4.0}
=== builtin_sum_replaced:
l = [1.0, 2.0]
def step(x): return x * sum(l)
--- change 3
builtins.sum = lambda v: 9.0
=== global_type_shadowed: compiles
def step(x): return x * float("2")
--- change 3
float = lambda s: 3.0
=== function_replaced_by_object: compiles
def f(x): return x * 2
def step(x): return f(x)
--- change 3
class F:
    def __call__(self, x): return x * 3
f = F()
=== function_replaced_by_partial: compiles
def f(x): return x * 2
def step(x): return f(x)
--- change 3
f = functools.partial(lambda k, x: x * k, 5)
=== function_replaced_twice_with_equal_text: compiles
def f(x): return x * 2
def step(x): return f(x)
--- change
def f(x): return x * 2
=== imported_function_replaced_in_module: compiles
def step(x): return x * math.sqrt(4.0)
--- change 3
held = math.sqrt
math.sqrt = lambda v: v
--- after
math.sqrt = held
=== math_constant_changed: compiles
def step(x): return x * math.pi
--- change 3
held = math.pi
math.pi = 3.0
--- after
math.pi = held
=== torch_function_replaced:
def step(x): return torch.relu(x - 3)
--- change 3
held = torch.relu
torch.relu = lambda x: x * 10
--- after
torch.relu = held
=== functional_function_replaced:
m = nn.ReLU()
def step(x): return m(x - 3)
--- change 3
held = F.relu
F.relu = lambda x, inplace=False: x * 10
--- after
F.relu = held
=== tensor_method_replaced:
def step(x): return x.relu()
--- change 3
held = torch.Tensor.relu
torch.Tensor.relu = lambda self: self * 10
--- after
torch.Tensor.relu = held
=== tensor_method_added: raises
def step(x): return x.doubled()
--- change 3
torch.Tensor.doubled = lambda self: self * 2
--- after
del torch.Tensor.doubled
''')
