"""Corners of torch that few programs visit: quasirandom, nn.grad, nn.parallel without accelerators, ..."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import Any

T = Any

_Pair = namedtuple("Pair", "a b")


def _failing(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    try:
        print(function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001  # the text is what is looked at
        print(type(error).__name__, error)


def _module(torch: T, name: str) -> T:
    return import_module(f"{torch.__name__}.{name}")


def sobol(torch: T) -> None:
    sobol = torch.quasirandom.SobolEngine
    for scramble, seed in ((False, None), (True, 5), (True, None)):
        torch.manual_seed(3)
        engine = sobol(4, scramble=scramble, seed=seed)
        print(engine, engine.shift, engine.sobolstate[:, :3])
        print(engine.draw(), engine.num_generated)
        print(engine.draw(5), engine.draw(2, dtype=torch.float64))
        print(engine.fast_forward(7).draw(2), engine.num_generated)
        print(engine.reset().draw_base2(2).dtype, engine.draw_base2(2))
        out = torch.empty(0)
        print(engine.draw(1, out=out), out, engine.quasi)
    print(sobol(21201).draw(3)[:, -5:], sobol(2).fast_forward(3).draw(1), torch.rand(1))
    _failing(sobol, 0)
    _failing(sobol, 21202)
    _failing(sobol(2).fast_forward(3).draw_base2, 2)


def gradients_of_convolutions(torch: T) -> None:
    grad = torch.nn.grad
    functional = torch.nn.functional
    for rank in (1, 2, 3):
        x = torch.arange(2 * 4 * 5**rank).view(2, 4, *[5] * rank).double().sin().requires_grad_()
        w = torch.arange(6 * 2 * 2**rank).view(6, 2, *[2] * rank).double().cos().requires_grad_()
        y = getattr(functional, f"conv{rank}d")(x, w, None, 2, 1, 1, 2)
        g = torch.arange(y.numel()).view_as(y).double().cos()
        dx, dw = torch.autograd.grad(y, (x, w), g)
        ours = getattr(grad, f"conv{rank}d_input")(x.shape, w, g, stride=2, padding=1, groups=2)
        print(torch.allclose(ours, dx), ours.requires_grad, ours.shape)
        ours = getattr(grad, f"conv{rank}d_weight")(x, w.shape, g, 2, 1, 1, 2)
        print(torch.allclose(ours, dw), ours.shape)


def parallel(torch: T) -> None:
    spread = _module(torch, "nn.parallel.scatter_gather")
    comm = _module(torch, "nn.parallel.comm")
    apply = _module(torch, "nn.parallel.parallel_apply")
    replicate = _module(torch, "nn.parallel.replicate")
    t = torch.ones(2)
    print(spread.scatter([1, (2, 3), {"a": 4}, _Pair(1, 2)], [0, 1]))
    _failing(spread.scatter, t, [0, 1])
    print(spread.scatter_kwargs((1, 2), {"a": 3}, [0, 1]), spread.scatter_kwargs((), {"a": 3}, [0]))
    _failing(spread.gather, [t, t], 0)
    print(spread.gather([None], 0), spread.gather([[None], [None]], 0), spread.is_namedtuple(_Pair(1, 2)))
    _failing(spread.gather, [{"a": None}, {"b": None, "c": None}], 0)
    _failing(comm.broadcast, t, [0])
    _failing(comm.broadcast, t)
    _failing(comm.reduce_add, [t])
    _failing(comm.scatter, t, [0])
    _failing(comm.gather, [t])
    print(apply.get_a_var([1, {"a": t}]), apply.get_a_var([1]))
    _failing(replicate.replicate, torch.nn.Linear(1, 1), [0])


def compiled_modules(torch: T) -> None:
    layer = torch.nn.Linear(2, 2)
    print(layer.compile(backend="eager"), layer(torch.ones(2)).shape, list(layer.state_dict()))


def places(torch: T) -> None:
    serialization = torch.serialization
    storage = torch.ones(2).untyped_storage()
    print(serialization.default_restore_location(storage, "cpu") is storage)
    for place in ("cuda:0", "there"):
        _failing(serialization.default_restore_location, storage, place)
    print(serialization.location_tag(storage), list(serialization.LoadEndianness))
    print(serialization.DEFAULT_PROTOCOL, serialization.SourceChangeWarning.__mro__[1])


def homes(torch: T) -> None:
    print(torch.functional.einsum is torch.einsum, torch.functional.norm is torch.norm)
    print(_module(torch, "storage").UntypedStorage is torch.UntypedStorage)
    collate = _module(torch, "utils.data._utils.collate")
    print(collate.default_collate is torch.utils.data.default_collate)
    print(collate.default_collate([{"a": 1}, {"a": 2}]), collate.default_collate_err_msg_format)
    print(_module(torch, "utils.data._utils.worker").get_worker_info())
    checkpoint = torch.utils.checkpoint
    print(checkpoint.get_device_states(torch.ones(1)), checkpoint.set_device_states([], []))
    print(torch._assert(True, "fine"))
    _failing(torch._assert, False, "the text")


def environment(torch: T) -> None:
    collect = _module(torch, "utils.collect_env")
    info = collect.get_env_info()
    print(info._fields, info.is_cuda_available, info.is_debug_build)
    print([line.split(":")[0] for line in collect.get_pretty_env_info().splitlines()[:12]])


def _error_of(call: Any) -> None:
    try:
        print(call())
    except (TypeError, ValueError, RuntimeError, IndexError) as error:
        print(type(error).__name__, error)


def nothing_is_drawn_read_or_viewed(torch: T) -> None:
    torch.manual_seed(0)
    shares = torch.distributions.Dirichlet(torch.tensor([1.0, 2.0]))
    print(shares.sample((0,)), shares.rsample((2, 0)).shape, torch.rand(1))
    print(torch.distributions.Beta(torch.ones(2), torch.ones(2)).sample((0, 3)).shape)
    x = torch.ones(2, 3, requires_grad=True)
    x[2:, torch.tensor([5])].sum().backward()
    print(x.grad)
    for base, size, offset in ((torch.ones(0, 3), (2, 0), 1), (torch.ones(3), (2, 0), 5)):
        print(base.as_strided(size, (1, 2), offset))


def elements_of_tensors_without_axes(torch: T) -> None:
    x = torch.tensor(3.0)
    for index in (0, -1, 4):
        _error_of(lambda index=index: x[index])
    _error_of(lambda: x.select(0, -1))
    _error_of(lambda: torch.ones(2)[0, -1])
    _error_of(lambda: torch.tensor(1.0).index_put_((torch.tensor(True),), torch.ones(1)))
    _error_of(lambda: torch.take_along_dim(x, torch.tensor(0), 0))
    _error_of(lambda: torch.ones(2, 3).split([1, 1], -1))


def sparse_without_axes_is_made_dense(torch: T) -> None:
    for dtype in (torch.uint8, torch.bool, torch.int32, torch.float16):
        for number in (1, 0):
            x = torch.tensor(number, dtype=dtype).to_sparse()
            print(x.to_dense(), (x * 1).to_dense())


def typed_storages_are_pickled(torch: T) -> None:
    import pickle

    for dtype in (torch.float32, torch.bool):
        storage = torch.ones(2, dtype=dtype).storage()
        again = pickle.loads(pickle.dumps(storage))
        print(again.tolist(), again.dtype, type(again).__name__)


def numbers_and_texts_of_other_layouts(torch: T) -> None:
    _error_of(lambda: complex(torch.ones(3).to_sparse()))
    _error_of(lambda: complex(torch.ones(1).to_sparse()))
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(1)])
    _error_of(lambda: f"{nested}")
    _error_of(lambda: f"{nested:3}")
    _error_of(lambda: bool(torch.nested.nested_tensor([])))


def sums_are_of_the_dtype_of_out(torch: T) -> None:
    x = torch.tensor([1.5, 2.5, 0.25, 200.0])
    for name in ("sum", "prod", "nansum", "mean", "cumsum", "cumprod"):
        for kind in (torch.int32, torch.float64, torch.complex64):
            out = torch.empty(0, dtype=kind)
            options = ({}, {"dtype": torch.float64}, {"dtype": torch.int64})[: 2 if name == "mean" else 3]
            for option in options:
                _error_of(
                    lambda name=name, out=out, option=option: getattr(torch, name)(x, 0, out=out, **option)
                )
    _error_of(lambda: torch.cumsum(x + 1j, 0, out=torch.empty(4)))
    _error_of(lambda: torch.cumprod(input=x, dim=0, out=torch.empty(0)))
    _error_of(lambda: torch.nansum(x, axis=0, out=torch.empty(0)))


def what_no_dtype_holds_is_stored_in_silence(torch: T) -> None:
    import warnings

    big = torch.full((3,), 1e30, dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for dtype in (torch.float16, torch.bfloat16):
            x = torch.ones(3, dtype=dtype)
            print(x.clone().copy_(big), x.clone().add_(big), torch.sub(big, 1, out=x.clone()))
            x[:1] = big[:1]
            print(x, torch.exp(big, out=x.clone()), x.clone().fill_(torch.tensor(1e30)))


def powers_of_two_by_the_dtype_of_both(torch: T) -> None:
    for x in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        for y in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            number, power = torch.tensor([1.1]).to(x), torch.tensor([0.3]).to(y)
            for a, b in ((number, power), (number, power[0]), (number[0], power[0])):
                _error_of(lambda a=a, b=b: torch.ldexp(a, b))


def out_is_looked_at_before_kernels(torch: T) -> None:
    import numpy as np

    numbers = torch.tensor([1.5]), torch.tensor([1]), torch.tensor([1j])
    for kind in (torch.int8, torch.complex64):
        for x in numbers:
            for name in ("bitwise_and", "fmod", "logaddexp2"):
                _error_of(lambda n=name, x=x, k=kind: getattr(torch, n)(x, x, out=torch.ones(1, dtype=k)))
            for name in ("bitwise_not", "floor", "round", "lgamma", "sign"):
                _error_of(lambda n=name, x=x, k=kind: getattr(torch, n)(x, out=torch.ones(1, dtype=k)))
            for name in ("softmax", "logcumsumexp", "amax"):
                _error_of(lambda n=name, x=x, k=kind: getattr(torch, n)(x, 0, out=torch.ones((), dtype=k)))
    x = torch.tensor([1])
    _error_of(lambda: x.__ixor__(np.float16(1)))
    _error_of(lambda: x.__ilshift__(np.float64(1)))
    for number in (np.float64(2), np.bool_(True), np.uint8(2)):
        _error_of(lambda number=number: x.clone().__ifloordiv__(number))
        _error_of(lambda number=number: x.__rfloordiv__(number))
        _error_of(lambda number=number: x.__rpow__(number))


def mark_dirty_is_a_write(torch: T) -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, fixed: bool) -> Any:
            x.mul_(2)
            ctx.mark_dirty(x)
            if fixed:
                ctx.mark_non_differentiable(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, None

    def tell(x: Any, fixed: bool = False) -> None:
        try:
            y = Twice.apply(x, fixed)
        except RuntimeError as error:
            print(error)
        else:
            print(x._version, y._version, y is x, y.requires_grad)

    tell(torch.ones(2))
    tell(torch.ones(2, dtype=torch.int64))
    tell(torch.ones(2, requires_grad=True) * 1)
    tell(torch.ones(2, requires_grad=True) * 1, True)
    tell(torch.ones(2, 2, requires_grad=True)[0])
    tell((torch.ones(2, 2, requires_grad=True) * 1).unbind()[0])
    with torch.no_grad():
        tell(torch.ones(2, requires_grad=True))
        tell(torch.ones(2, requires_grad=True) * 1)


def calls_of_layers_with_other_arguments(torch: T) -> None:
    one = torch.ones(2)
    for name, given, args in (
        ("CrossEntropyLoss", (), (one,)), ("MSELoss", (), ()), ("BCELoss", (), (one, one, one)),
        ("NLLLoss2d", (), ()), ("Conv2d", (1, 1, 1), ()), ("LazyConv1d", (1, 1), ()), ("ReLU", (), ()),
        ("Dropout", (), ()), ("MaxPool2d", (2,), (one, one)), ("LPPool2d", (2, 2), ()),
        ("BatchNorm2d", (2,), ()), ("InstanceNorm2d", (2,), ()), ("MaxUnpool1d", (2,), (one,)),
        ("FractionalMaxPool3d", (2, 1), ()), ("LayerNorm", (2,), ()), ("Softmax", (), (1, 2)),
    ):
        _failing(getattr(torch.nn, name)(*given).forward, *args)


def statistics_on_meta(torch: T) -> None:
    for name in ("BatchNorm1d", "LazyBatchNorm2d", "InstanceNorm1d", "SyncBatchNorm"):
        given = () if name.startswith("Lazy") else (3,)
        layer = getattr(torch.nn, name)(*given, track_running_stats=True, device="meta")
        print([(key, buffer.device.type) for key, buffer in layer.named_buffers()])


def fractional_pools_too_large(torch: T) -> None:
    for shape in ((5, 4, 4), (5, 5, 4), (4, 4, 5), (5, 4, 5), (5, 5, 5)):
        try:
            print(torch.nn.FractionalMaxPool3d(2, output_size=3)(torch.ones(1, *shape)).shape)
        except RuntimeError as error:
            print(error)
    print(torch.nn.FractionalMaxPool2d(2, output_size=3)(torch.ones(1, 4, 4)).shape)


def saved_bytes_and_their_storage(torch: T) -> None:
    x = torch.arange(3, dtype=torch.uint8)
    file = BytesIO()
    torch.save([x, x.untyped_storage()], file)
    print(torch.load(BytesIO(file.getvalue()), weights_only=False)[0])
    try:
        torch.save([x.float(), x, x.view(torch.int8)], BytesIO())
    except RuntimeError as error:
        print(error)


def einsum_of_two_dtypes(torch: T) -> None:
    dtypes = torch.float32, torch.float64, torch.bfloat16, torch.int64
    for equation, sizes in (
        ("ij,jk->ik", ((2, 3), (3, 2))), ("ij,kj->ik", ((2, 1), (2, 1))), ("i,i->", ((3,), (3,))),
        ("i,j->ij", ((2,), (2,))), ("ij,jk,kl->il", ((2, 3), (3, 2), (2, 2))),
    ):  # fmt: skip
        for first in dtypes:
            for second in dtypes:
                operands = [torch.ones(s, dtype=second if i else first) for i, s in enumerate(sizes)]
                _failing(lambda e=equation, o=operands: torch.einsum(e, *o).dtype)


def unpooled_sizes_of_other_ranks(torch: T) -> None:
    F = torch.nn.functional
    for rank, kernel in ((2, (2,)), (2, (2, 2, 2)), (3, (2, 2)), (3, (2,)), (3, (2, 2, 2, 2))):
        for x in (torch.ones(1, 2, *[2] * rank), torch.ones(1, 0, *[2] * rank)):
            _failing(getattr(F, f"max_unpool{rank}d"), x, torch.zeros(x.shape, dtype=torch.int64), kernel)
    for divisor in (0.5, True, 2):
        _failing(lambda d=divisor: F.avg_pool2d(torch.ones(1, 2, 2), 2, divisor_override=d))


def kernels_of_other_ranks(torch: T) -> None:
    nn = torch.nn
    print(nn.Conv2d(4, 4, (2,), padding=(1, 1)), nn.ConvTranspose1d(2, 2, (2, 2)))
    print(nn.Conv3d(2, 2, (2, 1), dilation=2))
    for size, output in ((None, None), (None, 2), ((0, 1, 1), 2), (-1.5, 2), (0, 2)):
        _failing(nn.FractionalMaxPool3d, size, output)


def order_of_checks_in_layers(torch: T) -> None:
    cell, loss = torch.nn.RNNCell(2, 2, nonlinearity="x"), torch.nn.BCELoss(weight=torch.ones(3))
    _failing(cell, torch.ones(1, 1, 1, 2))
    _failing(cell, torch.ones(1, 2), torch.ones(1, 1, 1))
    _failing(cell, torch.ones(1, 2))
    _failing(loss, torch.tensor([2.0, 3.0]), torch.ones(2))
    print(torch.nn.CrossMapLRN2d(2)(torch.ones(2, 3, 2, 2)).stride())


def lazy_layers_given_a_parameter(torch: T) -> None:
    for layer, shape in ((torch.nn.LazyConv2d(2, 1), (3, 4, 2, 2)), (torch.nn.LazyBatchNorm1d(), (3, 2, 2))):
        layer.bias = torch.nn.Parameter(torch.ones(2))
        _failing(layer, torch.ones(shape))
    layer = torch.nn.LazyConv1d(2, 1, bias=False)
    layer.weight = torch.nn.Parameter(torch.ones(2))
    _failing(layer, torch.ones(3, 2, 2))


def complex_nans_with_a_history(torch: T) -> None:
    x = torch.tensor([1j, 2 + 1j])
    y = x.clone().requires_grad_()
    print(x.nan_to_num(), (y * 2).nan_to_num_())
    _failing(y.nan_to_num)
    with torch.no_grad():
        print(y.nan_to_num())


def kind_of_sampler_of_a_stream(torch: T) -> None:
    class Stream(torch.utils.data.IterableDataset):
        def __iter__(self) -> Any:
            return iter(range(3))

    print(type(torch.utils.data.DataLoader(Stream()).sampler).__name__)


def storages_of_another_dtype(torch: T) -> None:
    double = torch.ones(2, dtype=torch.float64)
    for x in (torch.ones(2), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)[:1]):
        _failing(x.set_, double)
        _failing(x.set_, double, 0, (1,), (1,))
        _failing(x.set_, double.storage(), 0, (1,), (1,))
        _failing(x.set_, double.untyped_storage(), 2, (1,), (1,))


def first_check_of_a_write(torch: T) -> None:
    for size in ((4,), (2, 2, 3)):
        _failing(torch.ones(3).expand(2, 3).copy_, torch.ones(size))
    leaf = torch.ones(2, requires_grad=True)
    _failing(leaf.index_put_, (torch.tensor([0]), torch.tensor([0])), torch.tensor(1.0))
    _failing(leaf.detach().index_put_, (torch.tensor([0]), torch.tensor([0])), torch.tensor(1.0))
