"""Steps of optimizers in native code give NumPy's bits, versions and state, and leave to NumPy what is not
plain.
"""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large, tiering
from pullback.optim.optimizer import ELEMENT, PARAMETER

pytest.importorskip("llvmlite")
from pullback.compiler.optimizer_steps import native  # it needs llvmlite

schedulers = torch.optim.lr_scheduler

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {}),
    ("SGD", {"momentum": 0.9, "maximize": True}),
    ("SGD", {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"momentum": 0.5, "dampening": 0.3}),
    ("Adam", {}),
    ("Adam", {"amsgrad": True, "weight_decay": 0.1}),
    ("Adam", {"betas": (0.0, 0.9), "lr": torch.tensor(0.01)}),
    ("Adam", {"betas": (0.5, 0.9), "maximize": True}),
    ("AdamW", {"amsgrad": True}),
    ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RAdam", {"weight_decay": 0.1}),
    ("Adamax", {"weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.1}),
    ("Adadelta", {"weight_decay": 0.1}),
    ("RMSprop", {}),
    ("RMSprop", {"momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("Rprop", {}),
    ("ASGD", {"t0": 3.0, "weight_decay": 0.1}),
]
NAMES = [f"{name}-{'-'.join(options)}" for name, options in OPTIONS]


class Counted:
    """Counts the parameters that native calls have stepped."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parameters = 0
        run = native.NativeSteps._run

        def counted(steps: Any, optimizer: Any, group: Any, known: Any, part: Any, *rest: Any) -> bool:
            done = run(steps, optimizer, group, known, part, *rest)
            self.parameters += done * len(part)
            return done

        monkeypatch.setattr(native.NativeSteps, "_run", counted)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


@pytest.fixture
def at_once(price: Any) -> None:
    """Native from the first step on."""
    price(0)


def bits(tensor: Any) -> Any:
    """As integers; which NaN it is, nobody says."""
    array = tensor.detach()
    if array.is_complex():
        array = torch.view_as_real(array)
    array = array.nan_to_num(7.0, torch.inf, -torch.inf)
    words = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return array.view(words[array.element_size()]).tolist() if array.ndim else array.item()


def everything(optimizer: Any) -> list[Any]:
    """Parameters and state, as dtypes, bits and versions."""
    found = []
    for group in optimizer.param_groups:
        for param in group["params"]:
            for value in (param, *optimizer.state.get(param, {}).values()):
                found.append((value.dtype, bits(value), value._version))
    return found


def both(monkeypatch: pytest.MonkeyPatch, train: Callable[[], Any]) -> tuple[list[Any], list[Any]]:
    """What a training leaves in an optimizer, natively and parameter by parameter."""
    natively = everything(train())
    with monkeypatch.context() as context:
        context.setattr(native, "native_steps", lambda *given: None)
        return natively, everything(train())


def parameters(rng: np.random.Generator, dtype: Any, shapes: Any = ((3, 5), (7, 4), (130,))) -> list[Any]:
    return [torch.nn.Parameter(torch.from_numpy(rng.standard_normal(s)).to(dtype)) for s in shapes]


def give_gradients(rng: np.random.Generator, params: list[Any]) -> None:
    for param in params:
        values = rng.standard_normal(param.shape) * 10.0 ** rng.integers(-2, 2)
        param.grad = torch.from_numpy(np.asarray(values)).to(param.dtype)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=NAMES)
def test_bits_are_numpys(monkeypatch, counted, name, options, dtype):
    def train() -> Any:
        rng = np.random.default_rng(0)
        params = [*parameters(rng, dtype), *parameters(rng, dtype, [()])]
        optimizer = getattr(torch.optim, name)(params[:2], **copy.deepcopy(options))
        schedule = schedulers.ExponentialLR(optimizer, 0.7)
        for step in range(8):
            give_gradients(rng, params)
            if step in (2, 3):
                params[1].grad = None
            if step == 4:
                optimizer.add_param_group({"params": params[2:], "lr": 0.02})
            if step == 6:
                state = copy.deepcopy(optimizer.state_dict())
                optimizer.load_state_dict(state)
            optimizer.step()
            schedule.step()
        return optimizer

    natively, plainly = both(monkeypatch, train)
    assert natively == plainly
    # All but the first steps, which make the state.
    assert counted.parameters >= 15


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_large_parameters_are_native_at_once(monkeypatch, counted, name):
    def train() -> Any:
        rng = np.random.default_rng(0)
        params = parameters(rng, torch.float32, [(large.WORTH + 77,), (5,)])
        optimizer = getattr(torch.optim, name)(params, lr=0.1)
        for _ in range(2):
            give_gradients(rng, params)
            optimizer.step()
        return optimizer

    # No step waits for another process, so how many are native would be that one's speed.
    monkeypatch.setattr(tiering.account, "compiles_apart", False)
    before = torch.get_num_threads()
    for threads in (1, 3):
        torch.set_num_threads(threads)
        natively, plainly = both(monkeypatch, train)
        assert natively == plainly
    torch.set_num_threads(before)
    # A first step makes the state in NumPy.
    assert counted.parameters == (8 if name == "SGD" else 4)


def test_what_numpy_has_cost_decides(price, counted):
    price(5 * PARAMETER)
    rng = np.random.default_rng(0)
    params = parameters(rng, torch.float32)
    optimizer = torch.optim.SGD(params)
    for expected in (0, 3, 6):
        give_gradients(rng, params)
        optimizer.step()
        assert counted.parameters == expected


@pytest.mark.parametrize(("count", "expected"), [(3, 0), (4, 8)])
def test_until_loops_pay_passes_serve_several_parameters(monkeypatch, price, counted, count, expected):
    price(10_000 * PARAMETER)

    def train() -> Any:
        rng = np.random.default_rng(0)
        params = parameters(rng, torch.float32, [(3, 5), (7, 4), (130,), (6,)][:count])
        optimizer = torch.optim.Adam(params)
        for _ in range(3):
            give_gradients(rng, params)
            optimizer.step()
        return optimizer

    at_once, one_by_one = both(monkeypatch, train)
    assert at_once == one_by_one
    assert counted.parameters == expected


def test_steps_between_two_looks_count_too(price, counted):
    (param,) = parameters(np.random.default_rng(0), torch.float32, [(3,)])
    cost = PARAMETER + ELEMENT * 3
    price(200 * cost)
    optimizer = torch.optim.SGD([param])
    param.grad = torch.ones(3)
    steps = 0
    while not counted.parameters:
        optimizer.step()
        steps += 1
    assert 200 <= steps <= 202


# --- what is not plain --------------------------------------------------------------------------------------


def stepped(params: list[Any], make: Callable[[list[Any]], Any] = torch.optim.Adam, steps: int = 3) -> Any:
    optimizer = make(params)
    rng = np.random.default_rng(1)
    for _ in range(steps):
        give_gradients(rng, params)
        optimizer.step()
    return optimizer


def tensors(*shapes: tuple[int, ...], dtype: Any = torch.float32) -> list[Any]:
    return parameters(np.random.default_rng(0), dtype, shapes)


def parts_of_one() -> Any:
    base = torch.arange(10.0)
    return stepped([base[:4].detach().requires_grad_(), base[4:].detach().requires_grad_()])


def overlapping() -> Any:
    base = torch.arange(10.0)
    return stepped([base[:6].detach().requires_grad_(), base[4:].detach().requires_grad_()])


def twice() -> Any:
    (param,) = tensors((3, 4))
    return stepped([param, param])


def in_columns() -> Any:
    return stepped([torch.zeros(3, 4).t().requires_grad_(), *tensors((3, 4))])


def without_dimensions() -> Any:
    return stepped([torch.tensor(2.0, requires_grad=True), *tensors((3, 4))])


def without_elements() -> Any:
    return stepped([torch.zeros(0, 3, requires_grad=True), *tensors((3, 4))])


def of_complex_numbers() -> Any:
    real, other = tensors((4, 2), (3,))
    number = torch.view_as_complex(real.detach()).clone().requires_grad_()
    optimizer = torch.optim.Adam([number, other])
    for step in range(3):
        number.grad = torch.full((4,), complex(step, 1))
        other.grad = torch.full((3,), float(step))
        optimizer.step()
    return optimizer


def of_several_dtypes() -> Any:
    return stepped([*tensors((3,), (2, 2)), *tensors((3,), dtype=torch.float64)])


def with_gradients_in_columns() -> Any:
    params = tensors((3, 4), (4,))
    optimizer = torch.optim.Adam(params)
    for step in range(3):
        params[0].grad = (torch.arange(12.0).view(4, 3) - step).t()
        params[1].grad = torch.tensor(float(step)).expand(4)
        optimizer.step()
    return optimizer


def with_its_own_gradient() -> Any:
    params = tensors((3, 4), (4,))
    optimizer = torch.optim.AdamW(params)
    for _ in range(3):
        params[0].grad = params[0].detach()
        params[1].grad = torch.ones(4)
        optimizer.step()
    return optimizer


def with_anothers_memory_for_a_gradient() -> Any:
    params = tensors((3, 4), (3, 4))
    optimizer = torch.optim.AdamW(params)
    for _ in range(3):
        params[0].grad = torch.ones(3, 4)
        params[1].grad = params[0].detach()
        optimizer.step()
    return optimizer


def with_other_state() -> Any:
    params = tensors((3, 4), (4,))
    optimizer = stepped(params)
    optimizer.state[params[0]]["exp_avg"] = torch.ones(3, 4)
    optimizer.state[params[1]]["step"] = torch.tensor(17.0)
    params[1].data = torch.ones(4)
    for param in params:
        param.grad = torch.ones(param.shape)
    optimizer.step()
    optimizer.step()
    return optimizer


def with_state_of_two() -> Any:
    params = tensors((3, 4), (3, 4))
    optimizer = stepped(params)
    optimizer.state[params[1]] = dict(optimizer.state[params[0]])
    optimizer.step()
    return optimizer


def with_momentum_turned_on() -> Any:
    params = tensors((3, 4), (4,))
    optimizer = stepped(params, torch.optim.SGD)
    optimizer.param_groups[0]["momentum"] = 0.5
    for _ in range(3):
        optimizer.step()
    return optimizer


def with_the_mode_of_gradients_in_between() -> Any:
    params = tensors((3, 4), (4,))
    optimizer = stepped(params)
    with torch.no_grad():
        optimizer.step()
    with torch.inference_mode():
        optimizer.step()
    with torch.autograd.set_detect_anomaly(True):
        optimizer.step()
    optimizer.step()
    return optimizer


def copied_and_loaded() -> Any:
    optimizer = copy.deepcopy(stepped(tensors((3, 4), (4,))))
    again = pickle.loads(pickle.dumps(optimizer))
    for param in again.param_groups[0]["params"]:
        param.grad = torch.ones(param.shape)
    again.step()
    return again


def by_closure() -> Any:
    params = tensors((3, 4), (4,))
    optimizer = torch.optim.SGD(params, momentum=0.9)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = sum((p * p).sum() for p in params)
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    return optimizer


#: Trainings, and how many parameters' steps are native in them.
IRREGULAR = {
    parts_of_one: 4, overlapping: 0, twice: 1, in_columns: 2, without_dimensions: 4, without_elements: 4,
    of_complex_numbers: 2, of_several_dtypes: 6, with_gradients_in_columns: 4, with_its_own_gradient: 0,
    with_anothers_memory_for_a_gradient: 0, with_other_state: 8, with_state_of_two: 4,
    with_momentum_turned_on: 10, with_the_mode_of_gradients_in_between: 8, copied_and_loaded: 6,
    by_closure: 6,
}  # fmt: skip


@pytest.mark.usefixtures("at_once")
@pytest.mark.filterwarnings("ignore:optimizer contains a parameter group with duplicate")
@pytest.mark.parametrize("train", IRREGULAR, ids=lambda train: train.__name__)
def test_what_is_not_plain_is_numpys(monkeypatch, counted, train):
    natively, plainly = both(monkeypatch, train)
    assert natively == plainly
    assert counted.parameters == IRREGULAR[train]


@pytest.mark.usefixtures("at_once")
def test_an_error_leaves_what_it_leaves_in_numpy(monkeypatch):
    def train() -> Any:
        params = tensors((3,), (3,), (3,))
        optimizer = stepped(params)
        params[1].grad = torch.sparse_coo_tensor([[1]], [2.0], (3,))
        with pytest.raises(RuntimeError, match="does not support sparse gradients"):
            optimizer.step()
        return optimizer

    natively, plainly = both(monkeypatch, train)
    assert natively == plainly
    assert natively[1][1] == natively[-3][1] == 3  # torch looks at all gradients before the first step


@pytest.mark.usefixtures("at_once")
def test_a_compiler_that_fails_leaves_the_steps_to_numpy(monkeypatch):
    from pullback.compiler.optimizer_steps.loops import Updating

    def fails(*_: Any) -> Any:
        raise MemoryError("no more")

    expected = everything(stepped(tensors((3,), (3,)), steps=4))
    monkeypatch.setattr(Updating, "loop", fails)
    with pytest.warns(UserWarning, match="Adam falls back to NumPy: .*: MemoryError") as seen:
        found = stepped(tensors((3,), (3,)), steps=4)
    assert everything(found) == expected
    assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.usefixtures("at_once")
def test_the_users_own_code_runs(counted):
    class Own(torch.optim.SGD):
        calls = 0

        def update(self, *args: Any) -> None:
            Own.calls += 1
            super().update(*args)

    class Halved(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            for group in self.param_groups:
                group["lr"] /= 2
            return super().step(closure)

    stepped(tensors((3,), (3,)), Own)
    assert Own.calls == 6
    assert counted.parameters == 0
    stepped(tensors((3,), (3,)), Halved)
    assert counted.parameters == 6


@pytest.mark.usefixtures("at_once")
def test_modes_and_subclasses_see_each_op(counted):
    seen = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(func.__name__)
            return func(*args, **(kwargs or {}))

    class Special(torch.Tensor):
        pass

    params = tensors((3,), (3,))
    with Mode():
        stepped(params, torch.optim.SGD)
    assert "add_" in seen
    stepped([torch.ones(3).as_subclass(Special).requires_grad_()], torch.optim.SGD)
    with torch.profiler.profile() as profile:
        stepped(params, torch.optim.SGD)
    assert "aten::add_" in {event.key for event in profile.key_averages()}
    assert counted.parameters == 0


@pytest.mark.usefixtures("at_once")
def test_writes_are_noted_with_their_line(counted):
    params = tensors((3,), (3,))
    out = (params[0] * params[1]).sum()
    optimizer = stepped(params, torch.optim.SGD)
    optimizer.step()
    assert counted.parameters == 8
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        out.backward()
    assert any("test_native.py" in note for note in raised.value.__notes__)


@pytest.mark.usefixtures("at_once")
def test_a_compiled_step_is_a_program(counted):
    params = tensors((3,), (3,))
    optimizer = torch.optim.Adam(params)

    @torch.compile(backend="native", fullgraph=True)
    def step() -> None:
        loss = (params[0] * params[1]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    step()
    step()
    assert optimizer.state[params[0]]["step"].item() == 2
    assert counted.parameters == 0
    optimizer.step()
    assert counted.parameters == 2
    step()
    assert step._native._traces == 1


@pytest.mark.usefixtures("at_once")
def test_an_optimizer_is_freed():
    def make() -> Any:
        params = tensors((3,), (3,))
        optimizer = stepped(params)
        params[0].register_post_accumulate_grad_hook(lambda _: optimizer.step())
        return weakref.ref(optimizer)

    dead = make()
    gc.collect()
    assert dead() is None


@pytest.mark.usefixtures("at_once")
def test_threads_step_optimizers_of_their_own():
    def train() -> list[Any]:
        return everything(stepped(tensors((300, 70), (70,)), steps=20))

    expected = train()
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(train())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 3


SHORT = """
import sys
import pullback as torch
weight = torch.ones(4, 4, requires_grad=True)
optimizer = torch.optim.Adam([weight])
for _ in range(STEPS):
    weight.grad = torch.ones(4, 4)
    optimizer.step()
print("llvmlite" in sys.modules)
"""


@pytest.mark.parametrize(("steps", "setting", "loads"), [(5, "1", False), (30, "0", False), (30, "1", True)])
def test_llvm_is_loaded_where_it_pays(steps, setting, loads):
    code = SHORT.replace("STEPS", str(steps))
    if steps > 5:
        code = code.replace(
            "weight =", "from pullback.array import tiering\ntiering.OPEN = tiering.KERNEL = 10_000\nweight ="
        )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PULLBACK_LARGE_KERNELS": setting},
    )  # fmt: skip
    assert found.stdout.strip() == str(loads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_child_goes_on():
    code = """
import os
import pullback as torch
from pullback.array import tiering
tiering.OPEN = tiering.KERNEL = tiering.COMPILER = tiering.LOOP = 0
tiering.account.compiles_apart = False
torch.set_num_threads(2)
weight = torch.ones(1 << 17, requires_grad=True)
optimizer = torch.optim.Adam([weight])
def steps():
    for _ in range(3):
        weight.grad = torch.linspace(-1, 1, 1 << 17)
        optimizer.step()
    return weight.detach().numpy().tobytes()
steps()
reads, writes = os.pipe()
child = os.fork()
found = steps()
if not child:
    os.close(reads)
    with os.fdopen(writes, "wb") as file:
        file.write(found)
    os._exit(0)
os.close(writes)
with os.fdopen(reads, "rb") as file:
    assert file.read() == found
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)
