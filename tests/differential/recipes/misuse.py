"""Mistakes: arguments that torch refuses. What matters is the error's class and text."""

from __future__ import annotations

from typing import Any

from ..builder import FLOATS, INTS, SMOOTH, Builder, Code, DType, Literal, Ref, call
from . import Drawn, recipe
from .grads import differentiable


@recipe(3)
def dim_out_of_range(b: Builder) -> Drawn:
    x = b.pick()
    ndim = max(b.value(x).dim(), 1)
    dim = b.one((ndim, ndim + 2, -ndim - 1))
    match b.one(
        (
            "sum",
            "softmax",
            "transpose",
            "unbind",
            "select",
            "cat",
            "squeeze",
            "unsqueeze",
            "narrow",
            "cumsum",
            "max",
        )
    ):
        case "transpose":
            return call(".transpose", x, 0, dim)
        case "select":
            return call(".select", x, dim, 0)
        case "cat":
            return call("torch.cat", [x, x], dim)
        case "narrow":
            return call(".narrow", x, dim, 0, 1)
        case "unsqueeze":
            return call(".unsqueeze", x, dim + (2 if dim > 0 else -1))
        case name:
            return call(f".{name}", x, dim)


@recipe(3)
def shapes_that_do_not_broadcast(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, min_ndim=1, where=lambda t: t.shape[-1] > 1)
    y = b.leaf(b.dtype_of(x), (b.value(x).shape[-1] + 1,))
    match b.one(("add", "mul", "copy_", "where", "iadd", "maximum")):
        case "copy_":
            return call(".copy_", x, y)
        case "where":
            return call("torch.where", b.mask(tuple(b.value(x).shape)), x, y)
        case "maximum":
            return call("torch.maximum", x, y) if b.dtype_of(x) in FLOATS else call("sub", x, y)
        case name:
            return call(name, x, y)


@recipe(3)
def matmul_shapes(b: Builder) -> Drawn:
    dtype = b.dtype(FLOATS)
    shapes: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
        "matmul": b.one((((2, 3), (2, 3)), ((3,), (4,)), ((2, 3), (2,)), ((2, 2, 3), (3, 3, 2)), ((), (2,)))),
        "mm": b.one((((2, 3), (2, 3)), ((2,), (2, 2)), ((2, 3), (3,)))),
        "mv": ((2, 3), (2,)),
        "dot": b.one((((3,), (4,)), ((2, 2), (2,)))),
        "bmm": b.one((((2, 2, 3), (3, 3, 2)), ((2, 2, 3), (2, 2, 2)), ((2, 2), (2, 2)))),
    }
    name = b.one(tuple(shapes))
    left, right = shapes[name]
    return call(f"torch.{name}", b.leaf(dtype, left), b.leaf(dtype, right))


@recipe(2)
def matmul_dtypes(b: Builder) -> Drawn:
    x, y = b.leaf("float32", (2, 2)), b.leaf(b.one(("float64", "int64", "bfloat16", "complex64")), (2, 2))
    return call("torch.mm", x, y) if b.chance(0.5) else call("matmul", x, y)


@recipe(2)
def view_shapes(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1, where=lambda t: t.numel() > 1)
    count = b.value(x).numel()
    match b.one(("size", "strides", "two", "negative", "expand", "expand_fewer")):
        case "size":
            return call(b.one((".view", ".reshape")), x, count + 1)
        case "two":
            return call(b.one((".view", ".reshape")), x, -1, -1)
        case "negative":
            return call(".reshape", x, -2, count)
        case "expand":
            return call(".expand", x, *(n + 1 for n in b.value(x).shape))
        case "expand_fewer":
            return call(".expand", x, *b.value(x).shape[1:])
    x = b.pick(
        where=lambda t: t.dim() == 2 and min(t.shape) > 1 and not t.is_contiguous(), shape=lambda: (2, 3)
    )
    return call(".view", x, -1)


@recipe(2)
def join_shapes(b: Builder) -> Drawn:
    dtype = b.dtype()
    x, y = b.leaf(dtype, (2, 3)), b.leaf(dtype, b.one(((3, 2), (2,), (2, 3, 1))))
    name = b.one(("cat", "stack", "empty"))
    return call("torch.cat", []) if name == "empty" else call(f"torch.{name}", [x, y])


@recipe(3)
def index_out_of_range(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1, where=lambda t: t.numel() > 0)
    size = b.value(x).shape[0]
    match b.one(
        ("int", "negative", "many", "list", "mask", "step", "float", "select", "index_select", "scalar")
    ):
        case "int":
            return call("getitem", x, size)
        case "negative":
            return call("getitem", x, -size - 1)
        case "many":
            return call("getitem", x, (0,) * (b.value(x).dim() + 1))
        case "list":
            return call("getitem", x, [size])
        case "mask":
            return call("getitem", x, b.mask((size + 1,)))
        case "step":
            return call("getitem", x, slice(None, None, -1))
        case "float":
            return call("getitem", x, 1.5)
        case "select":
            return call(".select", x, 0, size)
        case "index_select":
            return call("torch.index_select", x, 0, Literal("int64", (1,), (size,)))
    return call("getitem", b.leaf(b.dtype(), ()), 0)


@recipe(2)
def gather_and_scatter(b: Builder) -> Drawn:
    x = b.leaf("float32", (2, 3))
    match b.one(("range", "ndim", "dtype", "shape", "add_dtype", "index_add")):
        case "range":
            return call("torch.gather", x, 1, Literal("int64", (1, 1), (3,)))
        case "ndim":
            return call("torch.gather", x, 1, Literal("int64", (1,), (0,)))
        case "dtype":
            return call("torch.gather", x, 1, Literal("float32", (1, 1), (0.0,)))
        case "shape":
            return call("torch.gather", x, 1, Literal("int64", (3, 1), (0, 0, 0)))
        case "add_dtype":
            return call("torch.scatter_add", x, 0, Literal("int64", (1, 1), (0,)), b.leaf("float64", (1, 1)))
    return call("torch.index_add", x, 0, Literal("int64", (2,), (0, 1)), b.leaf("float32", (1, 3)))


@recipe(4)
def in_place_on_leaf(b: Builder) -> Drawn:
    x = differentiable(b, leaf=True)
    if x is None:
        x = b.leaf("float32", (2, 3), 1.0)
    match b.one(("add_", "iadd", "setitem", "view", "zero_", "out")):
        case "iadd":
            return call("iadd", x, 1) if x.item is None else call(".add_", x, 1)
        case "setitem":
            return call("setitem", x, Ellipsis, 0)
        case "view":
            view = b.next()
            return [call("getitem", x, Ellipsis), call(".mul_", view, 2)]
        case "zero_":
            return call(".zero_", x)
        case "out":
            return call("torch.mul", x, 2, out=x)
    return call(".add_", x, 1)


@recipe(4)
def in_place_on_view(b: Builder) -> Drawn:
    """Views that may not be written to: expanded, of a multi-output function, made without grad."""
    found = b.find(SMOOTH, min_ndim=1, where=lambda t: t.requires_grad and not t.is_leaf and t.numel())
    if found is None:
        leaf = b.leaf("float32", (2, 3), 1.0)
        found = b.next()
        b.emit(call("mul", leaf, 2))
    x = found
    view = b.next()
    match b.one(("expand", "unbind", "split", "no_grad", "detached", "inference")):
        case "expand":
            return [call(".expand", x, 2, *b.value(x).shape), call(".add_", view, 1)]
        case "unbind":
            return [call(".unbind", x), call(".add_", Ref(view.index, 0), 1)]
        case "split":
            return [call(".split", x, 1), call(".mul_", Ref(view.index, 0), 2)]
        case "no_grad":
            return [call("getitem", x, Ellipsis, within="no_grad"), call(".mul_", view, 2)]
        case "inference":
            return [call("mul", x, 2, within="inference_mode"), call("mul", x, view)]
    return [call(".detach", x), call(".transpose_", view, 0, 0)]


@recipe(4)
def saved_value_modified(b: Builder) -> Drawn:
    x = b.leaf(b.dtype(("float32", "float64")), b.one(((), (2,), (2, 3))), 1.0)
    steps = [call(".clone", x)]
    copy = b.next()
    result = b.next(1)
    name = b.one(("exp", "sigmoid", "sqrt", "tanh", "sin", "mul", "relu"))
    steps.append(call("mul", copy, copy) if name == "mul" else call(f".{name}", copy))
    saved_is_output = name in ("exp", "sigmoid", "sqrt", "tanh", "relu")
    steps.append(call(".add_", result if saved_is_output else copy, 1))
    covector = Literal(b.dtype_of(x), tuple(b.value(x).shape), (1.0,) * b.value(x).numel())
    steps.append(call(".backward", result, covector))
    return steps


@recipe(5)
def backward_argument(b: Builder) -> Drawn:
    x = b.leaf("float32", (2, 3), 1.0)
    y = b.next()
    b.emit(call("mul", x, x))
    match b.one(
        ("none", "shape", "dtype", "grad", "unused", "leaf", "not", "twice", "kind", "empty", "count")
    ):
        case "none":
            return call(".backward", y)
        case "shape":
            return call(".backward", y, b.literal("float32", b.one(((3, 2), (2, 4), (5,)))))
        case "dtype":
            return call(".backward", y, b.literal(b.one(("complex64", "int64")), (2, 3)))
        case "grad":
            return call("torch.autograd.grad", y, x)
        case "unused":
            return call(
                "torch.autograd.grad", [y], [b.leaf("float32", (2,), 1.0)], [b.literal("float32", (2, 3))]
            )
        case "leaf":
            return call(
                "torch.autograd.grad", [y], [b.leaf("float32", (2,), 0.0)], [b.literal("float32", (2, 3))]
            )
        case "not":
            return call(".backward", b.leaf("float32", (), 0.0))
        case "twice":
            covector = b.literal("float32", (2, 3))
            return [call(".backward", y, covector), call(".backward", y, covector)]
        case "kind":
            return call(".backward", y, b.one((1.0, [1.0, 2.0])))
        case "empty":
            return call("torch.autograd.grad", [y], [])
    return call("torch.autograd.backward", [y], [b.literal("float32", (2, 3)), b.literal("float32", (2, 3))])


@recipe(3)
def leaf_rules(b: Builder) -> Drawn:
    match b.one(
        (
            "ints",
            "tensor",
            "nonleaf",
            "grad_shape",
            "grad_dtype",
            "grad_type",
            "retain",
            "detach_",
            "hook",
            "param",
        )
    ):
        case "ints":
            return call(".requires_grad_", b.pick((*INTS, "bool")))
        case "tensor":
            return call("torch.tensor", [1, 2], requires_grad=True)
        case "retain":
            return call(".retain_grad", b.leaf("float32", (2,), 0.0))
        case "hook":
            return call(".register_hook", b.leaf("float32", (2,), 0.0), Code("lambda g: g"))
        case "param":
            return call("torch.nn.Parameter", b.leaf("int64", (2,)))
        case "nonleaf" | "detach_":
            x = differentiable(b, leaf=False)
            return None if x is None else call(".requires_grad_", x, False)
        case "grad_shape":
            x = b.leaf("float32", (2, 3), 1.0)
            return call("setattr", x, "grad", b.literal("float32", (3,)))
        case "grad_dtype":
            x = b.leaf("float32", (2, 3), 1.0)
            return call("setattr", x, "grad", b.literal("float64", (2, 3)))
    return call("setattr", b.leaf("float32", (2, 3), 1.0), "grad", 1.0)


@recipe(3)
def to_python(b: Builder) -> Drawn:
    many = b.pick(where=lambda t: t.numel() > 1, shape=lambda: (2, 3))
    match b.one(("item", "bool", "float", "int", "len", "numpy", "complex", "empty", "index", "iterate")):
        case "item":
            return call(".item", many)
        case "bool":
            return call("bool", many)
        case "float":
            return call("float", many)
        case "int":
            return call("int", many)
        case "len":
            return call("len", b.leaf(b.dtype(), ()))
        case "iterate":
            return call("list", b.leaf(b.dtype(), ()))
        case "numpy":
            x = differentiable(b)
            return None if x is None else call(".numpy", x)
        case "complex":
            return call("float", b.leaf("complex64", ()))
        case "index":
            return call("operator.index", b.leaf("float32", ()))
    return call("bool", b.leaf(b.dtype(), (0,)))


@recipe(3)
def dtype_rules(b: Builder) -> Drawn:
    ints, floats = b.pick(INTS, fresh=0.5), b.pick(FLOATS, fresh=0.5)
    match b.one(
        (
            "mean",
            "into_int",
            "bool_minus",
            "neg_bool",
            "complex_order",
            "softmax",
            "bitwise",
            "into_real",
            "sqrt_",
        )
    ):
        case "mean":
            return call(".mean", ints)
        case "into_int":
            return call(b.one((".add_", ".mul_")), ints, 1.5)
        case "bool_minus":
            x = b.pick(("bool",))
            return call(
                "sub",
                x,
                b.pick(
                    ("bool",),
                    where=lambda t: t.shape == b.value(x).shape,
                    fresh=0,
                    shape=lambda: tuple(b.value(x).shape),
                ),
            )
        case "neg_bool":
            return call("neg", b.pick(("bool",)))
        case "complex_order":
            return call(b.one(("lt", "ge")), b.leaf("complex64", (2,)), 1)
        case "softmax":
            return call("torch.softmax", ints, 0)
        case "bitwise":
            return call("and_", floats, 1)
        case "into_real":
            return call(
                ".copy_" if b.chance(0.1) else ".add_",
                b.leaf("float32", (2,), 0.0),
                b.leaf("complex64", (2,)),
            )
    return call(".sqrt_", ints)


@recipe(2)
def argument_types(b: Builder) -> Drawn:
    x = b.pick(SMOOTH)
    bad: Any = b.one(("a", None, [1, 2]))
    match b.one(("add", "mul", "matmul", "sum", "reshape", "tensor", "to", "cat", "keyword", "where")):
        case "sum":
            return call(".sum", x, dim="a")
        case "reshape":
            return call(".reshape", x, 1.5)
        case "tensor":
            return call("torch.tensor", b.one((["a"], [[1, 2], [3]], None, [1, None])))
        case "to":
            return call(".to", x, "float32")
        case "cat":
            return call("torch.cat", x)
        case "keyword":
            return call("torch.add", x, x, beta=2)
        case "where":
            return call("torch.where", 1, x, x)
        case "matmul":
            return call("torch.matmul", x, bad)
        case name:
            return call(f"torch.{name}", x, bad)


@recipe(2)
def layer_shapes(b: Builder) -> Drawn:
    functional = "torch.nn.functional"
    image = b.leaf("float32", (1, 2, 4, 4))
    match b.one(
        ("conv", "linear", "norm", "loss", "nll", "pool", "conv_small", "embedding", "kernel_dtype", "bce")
    ):
        case "conv":
            return call(f"{functional}.conv2d", image, b.leaf("float32", (1, 3, 2, 2)))
        case "conv_small":
            return call(f"{functional}.conv2d", image, b.leaf("float32", (1, 2, 5, 5)))
        case "kernel_dtype":
            return call(f"{functional}.conv2d", image, b.leaf("float64", (1, 2, 2, 2)))
        case "linear":
            return call(f"{functional}.linear", image, b.leaf("float32", (3, 5)))
        case "norm":
            return call(f"{functional}.layer_norm", image, (5,))
        case "pool":
            return call(f"{functional}.max_pool2d", image, 6)
        case "embedding":
            return call(f"{functional}.embedding", b.indices((2,), 9), b.leaf("float32", (1, 3)))
        case "nll":
            return call(f"{functional}.nll_loss", b.leaf("float32", (2, 3)), Literal("int64", (2,), (0, 3)))
        case "bce":
            return call(
                f"{functional}.binary_cross_entropy",
                b.leaf("float32", (2,), values=lambda: 1.5),
                b.leaf("float32", (2,), values=lambda: 0.5),
            )
    return call(f"{functional}.cross_entropy", b.leaf("float32", (2, 3)), b.indices((3,), 3))


@recipe(1)
def creation(b: Builder) -> Drawn:
    match b.one(("arange", "zeros", "eye", "linspace", "dtype", "one_hot", "full")):
        case "arange":
            return call("torch.arange", 3, 0, 1)
        case "zeros":
            return call("torch.zeros", -1)
        case "eye":
            return call("torch.eye", -1)
        case "linspace":
            return call("torch.linspace", 0, 1, -1)
        case "dtype":
            return call("torch.zeros", 2, dtype=DType("int64"), requires_grad=True)
        case "one_hot":
            return call("torch.nn.functional.one_hot", Literal("int64", (2,), (0, 5)), 3)
    return call("torch.full", (2, -1), 1)
