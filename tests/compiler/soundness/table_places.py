"""Programs that read one value: every place where it can live, by every way in which it changes.

A place says how the value gets there (`make`), how ``step`` finds it (`read`) and how it is replaced
(`put`); ``V`` stands for the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .programs import Program, read


@dataclass(frozen=True)
class Place:
    """Where a value lives; whether a compiler surely knows the place."""

    make: str
    read: str
    put: str
    plain: bool = True
    arguments: str = ""


PLACES = {
    "global": Place("k = V", "k", "k = V"),
    "object": Place("class O: pass\no = O()\no.k = V", "o.k", "o.k = V"),
    "layer": Place("m = nn.Identity()\nm.k = V", "m.k", "m.k = V"),
    "sublayer": Place(
        "m = nn.Sequential(nn.Identity(), nn.Identity())\nm[1].k = V", "m[1].k", "m[1].k = V"),
    "class": Place("class O: k = V\no = O()", "o.k", "O.k = V"),
    "class_itself": Place("class O: k = V", "O.k", "O.k = V"),
    "type_of": Place("class O: k = V\no = O()", "type(o).k", "type(o).k = V"),
    "base_class": Place("class B: k = V\nclass O(B): pass\no = O()", "o.k", "B.k = V"),
    "layer_class": Place(
        "class M(nn.Module): k = V\nm = M()", "m.k", "M.k = V"),
    "metaclass": Place("class T(type): k = V\nclass O(metaclass=T): pass", "O.k", "T.k = V"),
    "shadowing_instance": Place("class O: k = 9.0\no = O()\no.k = V", "o.k", "o.k = V"),
    "slot": Place("class O: __slots__ = ('k',)\no = O()\no.k = V", "o.k", "o.k = V"),
    "inherited_slot": Place(
        "class B: __slots__ = ('k',)\nclass O(B): pass\no = O()\no.k = V", "o.k", "o.k = V"),
    "property": Place(
        "class O:\n    @property\n    def k(self): return self._k\no = O()\no._k = V", "o.k", "o._k = V"),
    "property_of_layer": Place(
        "class M(nn.Module):\n    @property\n    def k(self): return self.held[0]\nm = M()\nm.held = [V]",
        "m.k", "m.held[0] = V"),
    "data_descriptor": Place(
        "class D:\n    def __get__(self, o, t): return o.held['k']\n"
        "    def __set__(self, o, v): o.held['k'] = v\n"
        "class O:\n    k = D()\n    def __init__(self): self.held = {}\no = O()\no.k = V", "o.k", "o.k = V",
        plain=False),
    "descriptor_own": Place(
        "class D:\n    def __get__(self, o, t): return self.held\n"
        "d = D()\nd.held = V\nclass O: k = d\no = O()", "o.k", "d.held = V", plain=False),
    "getattr_hook": Place(
        "class O:\n    def __init__(self): self.held = {'k': V}\n"
        "    def __getattr__(self, name): return self.held[name]\no = O()", "o.k", "o.held['k'] = V",
        plain=False),
    "getattribute_hook": Place(
        "held = {'k': V}\nclass O:\n    def __getattribute__(self, name): return held[name]\no = O()",
        "o.k", "held['k'] = V", plain=False),
    "module_getattr": Place(
        "lib = types.ModuleType('lib')\nheld = {'k': V}\nlib.__getattr__ = lambda name: held[name]",
        "lib.k", "held['k'] = V", plain=False),
    "list": Place("l = [1.0, V]", "l[1]", "l[1] = V"),
    "list_end": Place("l = [1.0, V]", "l[-1]", "l.pop(); l.append(V)"),
    "dict": Place("d = {'a': 1.0, 'k': V}", "d['k']", "d['k'] = V"),
    "dict_get": Place("d = {'k': V}", "d.get('k', 5.0)", "d['k'] = V"),
    "dict_values": Place("d = {'k': V}", "list(d.values())[0]", "d['k'] = V"),
    "deque": Place("d = collections.deque([V])", "d[0]", "d[0] = V"),
    "default_dict": Place("d = collections.defaultdict(float)\nd['k'] = V", "d['k']", "d['k'] = V"),
    "ordered_dict": Place("d = collections.OrderedDict(k=V)", "d['k']", "d['k'] = V"),
    "dict_subclass": Place("class D(dict): pass\nd = D(k=V)", "d['k']", "d['k'] = V"),
    "list_subclass": Place("class L(list): pass\nl = L([V])", "l[0]", "l[0] = V"),
    "missing_key": Place(
        "held = [V]\nclass D(dict):\n    def __missing__(self, key): return held[0]\nd = D()", "d['k']",
        "held[0] = V", plain=False),
    "user_dict": Place("d = collections.UserDict(k=V)", "d['k']", "d['k'] = V", plain=False),
    "chain_map": Place("inner = {'k': V}\nd = collections.ChainMap({}, inner)", "d['k']", "inner['k'] = V",
                       plain=False),
    "mapping_proxy": Place("inner = {'k': V}\nd = types.MappingProxyType(inner)", "d['k']", "inner['k'] = V",
                           plain=False),
    "nested": Place("class O: pass\no = O()\no.d = {'a': [O()]}\no.d['a'][0].k = V", "o.d['a'][0].k",
                    "o.d['a'][0].k = V"),
    "tuple_of_list": Place("t = ([V],)", "t[0][0]", "t[0][0] = V"),
    "named_tuple": Place("P = collections.namedtuple('P', 'j k')\np = P(1.0, V)", "p.k", "p = P(1.0, V)"),
    "namespace": Place("o = types.SimpleNamespace(k=V)", "o.k", "o.k = V"),
    "dataclass": Place("@dataclasses.dataclass\nclass O:\n    k: object\no = O(V)", "o.k", "o.k = V"),
    "dataclass_replaced": Place(
        "@dataclasses.dataclass(frozen=True)\nclass O:\n    k: object\no = O(V)", "o.k",
        "o = dataclasses.replace(o, k=V)"),
    "function_attribute": Place("def g(): pass\ng.k = V", "g.k", "g.k = V"),
    "default": Place("def g(k=V): return k", "g()", "g.__defaults__ = (V,)"),
    "keyword_default": Place("def g(*, k=V): return k", "g()", "g.__kwdefaults__ = {'k': V}"),
    "keyword_default_item": Place("def g(*, k=V): return k", "g()", "g.__kwdefaults__['k'] = V"),
    "default_of_method": Place(
        "class O:\n    def g(self, k=V): return k\no = O()", "o.g()", "O.g.__defaults__ = (V,)"),
    "code": Place("def g(): return V", "g()", "def h(): return V\ng.__code__ = h.__code__"),
    "function_replaced": Place("def g(): return V", "g()", "def g(): return V"),
    "method": Place("class O:\n    def g(self): return V\no = O()", "o.g()", "O.g = lambda self: V"),
    "method_on_instance": Place(
        "class O:\n    def g(self): return V\no = O()", "o.g()", "o.g = lambda: V"),
    "method_reads": Place(
        "class O:\n    def __init__(self): self.k = V\n    def g(self): return self.k\no = O()", "o.g()",
        "o.k = V"),
    "layer_method_reads": Place(
        "k = V\nclass M(nn.Module):\n    def helper(self): return k\n    def other(self): "
        "return self.helper()\nm = M()", "m.other()", "k = V"),
    "static_method": Place(
        "class O:\n    @staticmethod\n    def g(): return V\no = O()", "o.g()",
        "O.g = staticmethod(lambda: V)"),
    "class_method": Place(
        "class O:\n    k = V\n    @classmethod\n    def g(cls): return cls.k\no = O()", "o.g()", "O.k = V"),
    "super_method": Place(
        "class B:\n    k = V\n    def g(self): return self.k\n"
        "class O(B):\n    def g(self): return super().g()\no = O()", "o.g()", "B.k = V"),
    "callable_object": Place(
        "class O:\n    def __call__(self): return self.k\no = O()\no.k = V", "o()", "o.k = V"),
    "operator_method": Place(
        "class O:\n    def __neg__(self): return self.k\no = O()\no.k = V", "-o", "o.k = V"),
    "item_method": Place(
        "class O:\n    def __getitem__(self, i): return self.k\no = O()\no.k = V", "o['a']", "o.k = V"),
    "closure": Place(
        "def make(k):\n    def get(): return k\n    def put(v):\n        nonlocal k\n        k = v\n"
        "    return get, put\nget, put = make(V)", "get()", "put(V)"),
    "closure_cell": Place(
        "def make(k): return lambda: k\ng = make(V)", "g()", "g.__closure__[0].cell_contents = V"),
    "inner_function": Place(
        "k = V\ndef g():\n    def inner(): return (lambda: k)()\n    return inner()", "g()", "k = V"),
    "module": Place("lib = types.ModuleType('lib')\nlib.k = V", "lib.k", "lib.k = V"),
    "partial": Place("def g(k): return k\np = functools.partial(g, k=V)", "p()", "p.keywords['k'] = V"),
    "partial_replaced": Place(
        "def g(k): return k\np = functools.partial(g, V)", "p()", "p = functools.partial(g, V)"),
    "wrapper": Place(
        "def twice(f):\n    @functools.wraps(f)\n    def inner(): return f()\n    return inner\n"
        "k = V\n@twice\ndef g(): return k", "g()", "k = V"),
    "computed_name": Place("class O: pass\no = O()\no.k = V", "getattr(o, 'K'.lower())", "o.k = V"),
    "getattr_default": Place("class O: pass\no = O()\no.k = V", "getattr(o, 'k', 9.0)", "o.k = V"),
    "attrgetter": Place(
        "class O: pass\no = O()\no.k = V\nget = operator.attrgetter('k')", "get(o)", "o.k = V"),
    "itemgetter": Place("d = {'k': V}\nget = operator.itemgetter('k')", "get(d)", "d['k'] = V"),
    "methodcaller": Place(
        "class O:\n    def g(self, a): return self.k\no = O()\no.k = V\ncall = operator.methodcaller('g', 1)",
        "call(o)", "o.k = V"),
    "globals_item": Place("k = V", "globals()['k']", "k = V", plain=False),
    "vars_item": Place("class O: pass\no = O()\no.k = V", "vars(o)['k']", "o.k = V", plain=False),
    "dunder_dict": Place("class O: pass\no = O()\no.k = V", "o.__dict__['k']", "o.k = V", plain=False),
    "dict_replaced": Place("class O: pass\no = O()\no.k = V", "o.k", "o.__dict__ = {'k': V}"),
    "class_assigned": Place(
        "class O: k = V\no = O()", "o.k", "class P: k = V\no.__class__ = P"),
    "bases_changed": Place(
        "class B: k = V\nclass O(B): pass\no = O()", "o.k", "class C: k = V\nO.__bases__ = (C,)"),
    "eval_name": Place("k = V", "eval('k')", "k = V", plain=False),
    "exec_name": Place(
        "k = V\ndef g():\n    found = {}\n    exec('v = k', globals(), found)\n    return found['v']", "g()",
        "k = V", plain=False),
    "import_inside": Place(
        "lib = types.ModuleType('program_lib')\nlib.k = V\nsys.modules['program_lib'] = lib\n"
        "def g():\n    import program_lib\n    return program_lib.k", "g()", "lib.k = V", plain=False),
    "builtin": Place("builtins.k = V", "k", "builtins.k = V", plain=False),
    "context_variable": Place(
        "cv = contextvars.ContextVar('cv')\ncv.set(V)", "cv.get()", "cv.set(V)", plain=False),
    "thread_local": Place("t = threading.local()\nt.k = V", "t.k", "t.k = V", plain=False),
    "weak_reference": Place(
        "class O: pass\no = O()\no.k = V\nr = weakref.ref(o)", "r().k", "o.k = V", plain=False),
    "weak_proxy": Place(
        "class O: pass\no = O()\no.k = V\nr = weakref.proxy(o)", "r.k", "o.k = V", plain=False),
    "weak_key": Place(
        "class O: pass\no = O()\nd = weakref.WeakKeyDictionary()\nd[o] = V", "d[o]", "d[o] = V",
        plain=False),
    "generator": Place("k = V\ndef g():\n    yield k", "next(g())", "k = V", plain=False),
    "generator_sum": Place("l = [V]", "next(iter([v for v in l]))", "l[0] = V"),
    "comprehension": Place("l = [V, 1.0]", "[v for v in l][0]", "l[0] = V"),
    "map": Place("k = V", "list(map(lambda a: k, [0]))[0]", "k = V"),
    "sorted_key": Place(
        "k = V\ndef key(a): return -a[0]", "sorted([(1, 5.0), (2, k)], key=key)[0][1]", "k = V"),
    "reduce": Place("l = [V]", "functools.reduce(lambda a, b: b, l, None)", "l[0] = V"),
    "context_manager": Place(
        "class C:\n    def __enter__(self): return self.k\n    def __exit__(self, *a): return None\n"
        "c = C()\nc.k = V\ndef g():\n    with c as k:\n        return k", "g()", "c.k = V"),
    "contextlib_manager": Place(
        "k = V\n@contextlib.contextmanager\ndef c():\n    yield k\ndef g():\n    with c() as v:\n"
        "        return v", "g()", "k = V", plain=False),
    "cached_property": Place(
        "class O:\n    @functools.cached_property\n    def k(self): return 9.0\no = O()\no.__dict__['k'] = V",
        "o.k", "o.__dict__['k'] = V", plain=False),
    "argument_attribute": Place("class O: pass\no = O()\no.k = V", "a.k", "o.k = V", arguments="a=o"),
    "argument_list": Place("o = [V]", "a[0]", "o[0] = V", arguments="a=o"),
    "argument_dict": Place("o = {'k': V}", "a['k']", "o = {'k': V}", arguments="a=o"),
    "argument": Place("o = V", "a", "o = V", arguments="a=o"),
    "tensor_attribute": Place("p = torch.ones(3)\np.k = V", "p.k", "p.k = V"),
    "parameter_attribute": Place(
        "m = nn.Linear(3, 3)\nm.weight.k = V", "m.weight.k", "m.weight.k = V"),
    "enum_value": Place(
        "class O: pass\nclass E(enum.Enum):\n    A = 1\n    B = 2\nheld = {E.A: V}", "held[E.A]",
        "held[E.A] = V"),
    "object_key": Place("class O: pass\no = O()\nd = {o: V}", "d[o]", "d[o] = V"),
    "single_dispatch": Place(
        "k = V\n@functools.singledispatch\ndef g(a): return None\n@g.register\ndef _(a: int): return k",
        "g(1)", "k = V", plain=False),
}

#: What happens: the values at first and at the calls named, by whom; whether it can be compiled.
CHANGES = {
    "number": ("2.0", {2: "3.0", 5: "2.0"}, "change"),
    "type": ("2", {2: "2.0", 4: "True"}, "change"),
    "zero": ("0.0", {3: "-0.0"}, "change"),
    "to_none": ("2.0", {3: "None"}, "thread"),
    "tensor": ("torch.tensor([1, 2, 3])", {0: "torch.tensor([4, 5, 6])", 3: "torch.tensor([7, 8, 9])"},
               "change"),
    "to_tensor": ("2", {4: "torch.tensor(3)"}, "thread"),
}  # fmt: skip

#: What another thread cannot change, or changes for itself only.
_NOT = {("builtin", "to_none"), ("thread_local", "to_none"), ("thread_local", "to_tensor"),
        ("context_variable", "to_none"), ("context_variable", "to_tensor")}  # fmt: skip
#: Places of which a function's text is the value.
_FRESH = ("code", "function_replaced", "method", "method_on_instance", "static_method")
#: Of the rows of places, which changes each has: two by turns, so that every pair of neighbours has all.
_ROWS = (("number", "tensor", "to_none"), ("type", "zero", "to_tensor"))


def _filled(text: str, value: str) -> str:
    return re.sub(r"\bV\b", value, text)


def _program(name: str, place: Place, kind: str) -> str:
    first, then, who = CHANGES[kind]
    changes = "".join(f"--- {who} {n}\n{_filled(place.put, v)}\n" for n, v in then.items())
    # A function whose text says `torch.tensor(...)` makes a tensor in each call, which is fine, too.
    flags = " compiles" if place.plain and not (name in _FRESH and "tensor" in kind) else ""
    arguments = f", {place.arguments}" if place.arguments else ""
    parameters = "x, a" if place.arguments else "x"
    return (
        f"\n=== {name}_{kind}:{flags}\n{_filled(place.make, first)}\n"
        f"def step({parameters}):\n    v = {place.read}\n    return x + 1 if v is None else (x * v, v)\n"
        f"--- call\ntorch.arange(1, 4) + n{arguments}\n{changes}"
    )


def _in_place(name: str, place: Place) -> str:
    """The value is a tensor, which another thread writes, and which begins to require gradients."""
    arguments = f", {place.arguments}" if place.arguments else ""
    parameters = "x, a" if place.arguments else "x"
    found = re.sub(r"\ba\b", "o", place.read) if arguments else place.read
    return (
        f"\n=== {name}_in_place:{' compiles' if place.plain else ''}\n"
        f"{_filled(place.make, 'torch.tensor([1.0, 2.0, 3.0])')}\n"
        f"def step({parameters}):\n    v = {place.read}\n    return x * v, v\n"
        f"--- call\ntorch.arange(1.0, 4.0) + n{arguments}\n--- thread 2\n({found}).add_(1)\n"
        f"--- change 4\n({found}).data = torch.full((3,), 5.0)\n--- change 5\n({found}).requires_grad_()\n"
    )


def _inside(name: str, place: Place) -> str:
    """The value is changed by the call itself."""
    put = "\n    ".join(_filled(place.put, "(value + 1)").split("\n"))
    names = {"global": "global k", "named_tuple": "global p", "dataclass_replaced": "global o",
             "partial_replaced": "global p"}  # fmt: skip
    first = f"    {names[name]}\n" if name in names else ""
    return (
        f"\n=== {name}_inside:\n{_filled(place.make, '2')}\n"
        f"def step(x):\n{first}    value = {place.read}\n    {put}\n    return x * value, {place.read}\n"
        f"--- call\ntorch.arange(1, 4) + n\n--- state\n{place.read}\n"
    )


#: Places whose value a call can replace itself.
INSIDE = (
    "global", "object", "layer", "class", "base_class", "metaclass", "slot", "property", "data_descriptor",
    "getattr_hook", "list", "list_end", "dict", "deque", "named_tuple", "namespace", "function_attribute",
    "default", "keyword_default_item", "closure", "module", "partial", "partial_replaced", "dict_replaced",
    "context_variable", "thread_local", "weak_reference", "weak_key", "tensor_attribute", "dict_subclass",
)  # fmt: skip


def _table() -> list[Program]:
    text = ""
    for row, (name, place) in enumerate(PLACES.items()):
        for kind in _ROWS[row % 2]:
            if (name, kind) not in _NOT:
                text += _program(name, place, kind)
        if name not in (*_FRESH, "thread_local", "context_variable"):
            text += _in_place(name, place)
    return read(text + "".join(_inside(name, PLACES[name]) for name in INSIDE))


PROGRAMS = _table()
