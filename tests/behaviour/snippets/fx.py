"""torch.fx: what graphs and their code look like, edits, interpreters, errors."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

T = Any


def _shown(graph_module: T) -> None:
    print(graph_module.graph)
    print(graph_module.code)


def _failing(function: Callable[..., Any], *args: Any) -> None:
    try:
        print(function(*args))
    except Exception as error:  # noqa: BLE001  # the text is what is looked at
        print(type(error).__name__, error)


def _network(torch: T) -> T:
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(2, 2, 3, padding=1)
            self.bn = nn.BatchNorm2d(2)

        def forward(self, x):
            return functional.relu(self.bn(self.conv(x))) + x

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.Sequential(Block(), Block())
            self.scale = nn.Parameter(torch.ones(2, 1, 1))
            self.register_buffer("offset", torch.zeros(1))
            self.head = nn.Linear(2, 3)

        def forward(self, x, flag=False):
            x = self.blocks(x) * self.scale + self.offset
            x = functional.adaptive_avg_pool2d(x, 1).flatten(1)
            return functional.log_softmax(self.head(x), dim=-1)

    torch.manual_seed(0)
    return Net()


def a_network(torch: T) -> None:
    from importlib import import_module

    net = _network(torch).eval()
    traced = torch.fx.symbolic_trace(net)
    _shown(traced)
    print(traced)
    x = torch.rand(2, 2, 4, 4)
    print(torch.equal(traced(x), net(x)), list(traced.state_dict()) == list(net.state_dict()))
    print(traced.training, type(traced).__name__, isinstance(traced, torch.fx.GraphModule))
    prop = import_module(f"{torch.__name__}.fx.passes.shape_prop")
    prop.ShapeProp(traced).propagate(x)
    for node in traced.graph.nodes:
        known = node.meta.get("tensor_meta")
        print(node.name, node.op, node.meta["type"].__name__, getattr(known, "shape", None))
    print(traced.print_readable(print_output=False))


def functions(torch: T) -> None:
    functional = torch.nn.functional

    def f(x, y: int = 3, *rest, **more):
        a, b = x.chunk(2, dim=1)
        c = torch.cat([a, b, x], dim=0)[..., 1:, None]
        d = torch.einsum("ij,jk->ik", x, x.t()) @ x
        e = functional.dropout(d, 0.1, training=True)
        g = functional.max_pool2d(e, 2) + functional.gelu(e)
        h = functional.scaled_dot_product_attention(g, g, g)
        i = functional.layer_norm(h, (4,)) ** 2 // 3
        j = torch.where(i > 0, i, -i) if y is None else torch.stack([i, i])
        k = (1 - j) / (2 * j) % 3
        k += 1
        m = torch.linalg.norm(k) + torch.fft.fft(k).real + torch.special.expit(k)
        n = functional.pad(m, (1, 1)).softmax(-1).view(m.shape[0], -1)
        return {"c": c, "n": (n, [m.dtype, m.size(0)])}, rest, more

    _shown(torch.fx.symbolic_trace(f))


def more_functions(torch: T) -> None:
    functional = torch.nn.functional

    def f(x, w):
        return [  # one line for each
            functional.linear(x, w), functional.conv2d(x, w), functional.batch_norm(x, w, w),
            functional.embedding(x, w), functional.cross_entropy(x, w), functional.mse_loss(x, w),
            functional.interpolate(x, scale_factor=2), functional.normalize(x), functional.glu(x),
            functional.softmax(x, 1), functional.leaky_relu(x), functional.avg_pool2d(x, 2),
            functional.one_hot(x), functional.pixel_shuffle(x, 2), functional.sigmoid(x),
            functional.tanh(x), functional.silu(x), functional.group_norm(x, 2), functional.elu(x),
            functional.softplus(x), functional.adaptive_max_pool2d(x, 1), functional.unfold(x, 2),
            functional.logsigmoid(x), functional.hardtanh(x), functional.relu(x, inplace=True),
            torch.split(x, 2), torch.norm(x), torch.tensordot(x, w), torch.unique(x), torch.cdist(x, w),
            torch.meshgrid(x, w, indexing="ij"), torch.relu(x), torch.sigmoid(x), torch.bmm(x, w),
            torch.sum(x, dim=1), torch.flatten(x, 1), torch.matmul(x, w), torch.linalg.inv(x),
            torch.stft(x, 4), torch.broadcast_tensors(x, w), torch.zeros_like(x), torch.clamp(x, 0, 1),
            functional.softmax(input=x, dim=1), torch.addmm(x, w, w, beta=2), abs(x), x.T, ~x, +x,
        ]  # fmt: skip

    _shown(torch.fx.symbolic_trace(f))


def constants(torch: T) -> None:
    table = torch.arange(6.0).view(3, 2)

    class M(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.plain = torch.ones(2)
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            y = x + self.plain
            return y * torch.tensor([2.0, 3.0]) + torch.mul(table, self.weight).sum() + (table + y).sum()

    traced = torch.fx.symbolic_trace(M())
    _shown(traced)
    print(traced(torch.ones(2)))


def annotated(torch: T) -> None:
    class Pair(NamedTuple):
        a: Any
        b: Any

    def f(x: torch.Tensor, n: int = 2, s: str = "a") -> torch.Tensor:
        pair = Pair(x, n)
        return pair[0] * n

    traced = torch.fx.symbolic_trace(f)
    print(traced.graph)
    print(traced.code)


def concrete(torch: T) -> None:
    def f(x, flag, other=None):
        return x.sin() if flag else x.cos()

    traced = torch.fx.symbolic_trace(f, concrete_args={"flag": True})
    _shown(traced)
    print(traced(torch.zeros(2), True))
    _failing(traced, torch.zeros(2), False)
    _shown(torch.fx.symbolic_trace(f, concrete_args={"flag": False, "other": None}))


def errors_of_tracing(torch: T) -> None:
    trace = torch.fx.symbolic_trace

    def condition(x):
        return x if x.sum() > 0 else -x

    def loop(x):
        return [row for row in x]  # noqa: C416  # going through it is what fails

    for function in (
        condition, loop, lambda x: len(x), lambda x: torch.zeros(2)[x], lambda x: {x: 1},
        lambda x: x + object(), lambda x: math.sin(x),
    ):  # fmt: skip
        _failing(lambda f=function: trace(f).graph)


def edits(torch: T) -> None:
    fx = torch.fx
    traced = fx.symbolic_trace(lambda x, y: torch.relu(x + y) * 2)
    graph = traced.graph
    for node in graph.nodes:
        print(node.op, node, node.target if isinstance(node.target, str) else "", node.args, node.users)
        print(node.all_input_nodes, node.next, node.prev, node.format_node())
    add = graph.find_nodes(op="call_function", target=operator.add)[0]
    with graph.inserting_after(add):
        new = graph.call_function(torch.tanh, (add,))
        print(new.users, new.name)
        add.replace_all_uses_with(new, lambda user: user is not new)
    graph.lint()
    _shown(traced)
    traced.recompile()
    _shown(traced)
    with graph.inserting_before(new):
        unused = graph.call_method("neg", (add,))
        graph.call_function(torch.add, args=(unused, unused), kwargs={"alpha": 2})
    print(graph)
    print(graph.eliminate_dead_code(), len(graph.nodes), graph.eliminate_dead_code())
    new.update_arg(0, graph.find_nodes(op="placeholder")[0])
    print(graph.output_node().format_node(), add.users)
    _failing(graph.erase_node, new)
    graph.erase_node(add)
    print(graph, [n.name for n in reversed(graph.nodes)])
    relu = next(n for n in graph.nodes if n.target is torch.relu)
    relu.target = torch.sigmoid
    traced.recompile()
    print(traced.code, traced(torch.ones(2), torch.ones(2)))
    first, second = list(graph.nodes)[:2]
    first.append(second)
    second.prepend(relu)
    _failing(graph.lint)
    _failing(setattr, relu, "args", (1,))
    _failing(relu.args.__add__, (2,))
    _failing(lambda: new.kwargs.update({"a": 1}))


def made_by_hand(torch: T) -> None:
    fx = torch.fx
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.placeholder("y", default_value=2)
    weight = graph.get_attr("inner.weight")
    total = graph.call_function(operator.mul, (x, weight))
    layer = graph.call_module("inner", (total,))
    proxy = fx.Proxy(layer) + fx.Proxy(y)
    graph.output({"a": (proxy.node, [x, None]), "b": slice(0, 1)})
    graph.lint()
    print(graph)
    root = torch.nn.Module()
    root.inner = torch.nn.Linear(2, 2)
    module = fx.GraphModule(root, graph, "ByHand")
    print(module, type(module).__name__)
    print(list(module.state_dict()), module.inner is root.inner)
    _failing(fx.GraphModule, {}, graph)
    print(fx.GraphModule({"inner": root.inner, "inner.weight": root.inner.weight}, graph).code)
    _failing(graph.create_node, "call_nothing", "x")
    _failing(graph.create_node, "call_module", 3)
    _failing(graph.create_node, "call_function", "name")
    other = fx.Graph()
    values = {}
    print(other.graph_copy(graph, values), len(values))
    print(other)
    names = fx.Graph()
    for wished in ("add", "add", "add_1", "x.y", "3d", "for", "print", "maxPool2d", "add_7", "add", "a b"):
        print(names.placeholder(wished).name, end=" ")
    print()


def wrapped(torch: T) -> None:
    source = """
from math import sqrt
import torch
@torch.fx.wrap
def helper(x, n):
    if n > 2:
        return x
    return x * 2
torch.fx.wrap("len")
torch.fx.wrap("sqrt")
def f(x):
    return helper(x, 3) + len(x) + sqrt(x.size(0)) + math.floor(x.size(0))
"""
    space: dict[str, Any] = {"__name__": "program", "math": math, "torch": torch}
    exec(source.replace("import torch\n", ""), space)
    before = dict(space)
    traced = torch.fx.symbolic_trace(space["f"])
    print(traced.graph)
    print(traced.code)
    print(before == space)

    def inside() -> None:
        torch.fx.wrap("len")

    _failing(inside)
    _failing(torch.fx.wrap, 3)


def running(torch: T) -> None:
    fx = torch.fx
    net = _network(torch).eval()
    traced = fx.symbolic_trace(net)
    x = torch.rand(1, 2, 4, 4)

    class Watched(fx.Interpreter):
        def run_node(self, n):
            result = super().run_node(n)
            print(n.name, tuple(getattr(result, "shape", ())), len(self.env))
            return result

    print(torch.equal(Watched(traced).run(x, None), net(x)))
    _failing(fx.Interpreter(traced).run)
    print(torch.equal(fx.Interpreter(traced).boxed_run([x, None]), net(x)))
    _failing(fx.Interpreter(traced).boxed_run, [x])
    broken = fx.symbolic_trace(lambda x: x.reshape(3, 3) + 1)
    _failing(fx.Interpreter(broken).run, torch.ones(2))

    class Swap(fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target is torch.nn.functional.relu:
                return super().call_function(torch.nn.functional.silu, args, {})
            return super().call_function(target, args, kwargs)

        def call_module(self, target, args, kwargs):
            if target.endswith("bn"):
                return args[0]
            return super().call_module(target, args, kwargs)

    print(Swap(traced).transform().code)


def patterns(torch: T) -> None:
    fx = torch.fx

    def f(x, w1, w2):
        a = torch.cat([w1, w2]).sum()
        b = torch.cat([w1, w2]).sum()
        c = torch.cat([w1, w2])
        return x + a.max() + b.max() + c.sum() * torch.neg(c)

    traced = fx.symbolic_trace(f)
    matches = fx.replace_pattern(
        traced, lambda p, q: torch.cat([p, q]).sum(), lambda p, q: torch.stack([p, q]) * 2
    )
    print(len(matches), [m.anchor.name for m in matches])
    _shown(traced)
    net = fx.symbolic_trace(_network(torch))
    relu = torch.nn.functional.relu
    print(len(fx.replace_pattern(net, lambda x: relu(x), lambda x: torch.tanh(x))), net.code)
    print(len(fx.replace_pattern(net, lambda x, y: relu(x) + y, lambda x, y: x + y)))


def copies(torch: T) -> None:
    fx = torch.fx
    traced = fx.symbolic_trace(_network(torch).eval())
    x = torch.rand(1, 2, 4, 4)
    for copied in (copy.deepcopy(traced), pickle.loads(pickle.dumps(traced)), copy.copy(traced)):
        print(torch.equal(copied(x), traced(x)), type(copied).__name__, copied.code == traced.code)
        print(list(copied.state_dict()) == list(traced.state_dict()), copied.head is traced.head)
    again = copy.deepcopy(traced.graph)
    print(str(again) == str(traced.graph), again is traced.graph)
    print(traced.add_submodule("extra.inner", torch.nn.ReLU()), traced.extra)
    print(traced.delete_submodule("nothing.there"), traced.delete_submodule("extra.inner"))
    traced.delete_all_unused_submodules()
    print([name for name, _ in traced.named_modules()])
    retraced = fx.symbolic_trace(traced)
    print(retraced.code == traced.code, retraced(x).shape)


def tracers(torch: T) -> None:
    class Deep(torch.fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return isinstance(m, torch.nn.Linear)

        def create_arg(self, a):
            return super().create_arg(a)

    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Tanh())
    graph = Deep().trace(net)
    print(graph)
    print(torch.fx.GraphModule(net, graph, "Deep").code)
    shapes = torch.fx.Tracer(param_shapes_constant=True)

    class M(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2, 3))

        def forward(self, x):
            return x * 2 if self.weight.shape[0] == 2 else x

    print(shapes.trace(M()))
    for node in torch.fx.symbolic_trace(torch.nn.Sequential(net, net)).graph.nodes:
        print(node.name, list(node.meta.get("nn_module_stack", {})))


def transformed_code(torch: T) -> None:
    traced = torch.fx.symbolic_trace(lambda x: x + 1)
    with traced.graph.on_generate_code(lambda before: lambda body: ["print('begin')\n", *body]):
        traced.recompile()
        print(traced.code)
        print(traced(torch.ones(1)))
    traced.recompile()
    print(traced.code)
    print(traced.graph.python_code("self").src == traced.code)


def attributes_and_operators(torch: T) -> None:
    def f(x, y):
        z = x.shape[0] + y.size(-1)
        t = x.to(torch.float64).type(torch.float32).to(device="cpu", dtype=torch.float16)
        u = x[0, :, y] if False else x[:, 1:z, ..., -1]
        v = (x @ y) & (x | y) ^ (x << 1) >> 2
        w = divmod(z, 2) if False else z // 2
        s = 2**x + x**2 - 1.5 * x / float("inf")
        q = x.T.mT.grad.data
        r = torch.full((2, z), 1.0)
        return t, u, v, w, s, q, r, x.is_cuda, x == y, x != 1, x < y, x >= 2, -x

    _shown(torch.fx.symbolic_trace(f))


def built_in_functions(torch: T) -> None:
    nn, functional = torch.nn, torch.nn.functional
    x = torch.arange(9.0).reshape(3, 3) / 9 + torch.eye(3)

    def f(x):
        y = functional.linear(x, x) + functional.gelu(x) + functional.softplus(x) + functional.logsigmoid(x)
        return y + torch.linalg.inv(x) + torch.fft.fft(x).real + torch.special.erf(x)

    _shown(torch.fx.symbolic_trace(f))
    for module in (f, nn.Linear(3, 3), nn.GELU(), nn.Softplus()):
        print(bool(torch.allclose(torch.fx.symbolic_trace(module)(x), module(x))))
    builtins = torch._C
    print(builtins._nn.gelu is functional.gelu, builtins._linalg.linalg_inv is torch.linalg.inv)
    print(builtins._special.special_erf.__name__, builtins._fft.fft_fft.__module__)
    _failing(lambda: builtins._nn.absent)
