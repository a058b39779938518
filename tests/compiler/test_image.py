"""A program's image runs as the program does, and another program never finds it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.compiler.frontend.trace import trace

pytest.importorskip("llvmlite")

from pullback.compiler.emit import codegen, functions, writer
from pullback.compiler.emit.convolution import channels, kernels, nonfinite, pooling
from pullback.compiler.emit.product import kernel as product
from pullback.compiler.lower import equations
from pullback.compiler.program.program import Program
from pullback.compiler.runtime import cache, image, machine_code
from pullback.compiler.runtime.executable import Executable

pytestmark = pytest.mark.usefixtures("in_haste")


@pytest.fixture(autouse=True)
def folder(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "kept"))


def program(function: Any, *args: Any) -> Program:
    return trace(function, *args).program


def fails(*_: Any) -> Any:
    raise AssertionError("lowered")


@pytest.mark.parametrize("function", [
    lambda x: x * 2 + 1,
    lambda x: (x.sin() @ x.T).softmax(1).sum(0),
    lambda x: x + torch.arange(20.0).reshape(4, 5).cos(),
    lambda x: x > torch.tensor([True, False, True, False, True]),
    lambda x: nn.functional.embedding(torch.tensor([3, 0]), x).exp(),
    lambda x: torch.func.fori_loop(0, 30, lambda n, y: y * 1.5 - x, x),
    lambda x: (torch.ones(600, 600) * x.sum()).sum(0),
])  # fmt: skip
def test_the_next_process_does_not_lower_the_program(function, monkeypatch):
    x = torch.randn(4, 5)
    code = program(function, x)
    first = Executable(code)
    with monkeypatch.context() as patch:
        patch.setattr(equations, "lower", fails)
        patch.setattr(writer, "Writer", fails)
        second = Executable(Program.read(str(code)))
        given = [x._value] if code.inputs else []
        for a, b in zip(first.run(*given), second.run(*given), strict=True):
            assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    # Who looks into the program has it lowered then.
    assert second.llvm == first.llvm
    assert len(second.steps) == len(first.steps)


def test_programs_that_differ_have_names_that_differ():
    x = torch.randn(4, 5)
    functions = (
        lambda x: x * 2.0, lambda x: x * 2.5, lambda x: x * 0.0, lambda x: x * -0.0, lambda x: x + 2.0,
        lambda x: x * torch.arange(5.0), lambda x: x * (torch.arange(5.0) + 1),
        lambda x: x * torch.arange(400.0).sin()[:5], lambda x: x * torch.arange(400.0).cos()[:5],
        lambda x: torch.func.fori_loop(0, 30, lambda n, y: y * 1.5, x),
        lambda x: torch.func.fori_loop(0, 30, lambda n, y: y * 2.5, x),
    )  # fmt: skip
    names = [image.name_of(program(f, x), ()) for f in functions]
    names += [image.name_of(program(functions[0], x.double()), ())]
    names += [image.name_of(program(functions[0], torch.randn(5, 4)), ())]
    names += [image.name_of(program(functions[0], x), pairs) for pairs in ([(0, 0)], [(0, 1)])]
    torch.set_default_dtype(torch.float64)
    try:
        names.append(image.name_of(program(functions[0], x), ()))
    finally:
        torch.set_default_dtype(torch.float32)
    keys = [name.key for name in names if name is not None]
    assert len(set(keys)) == len(names)


def test_what_has_no_text_has_no_image():
    code = program(lambda x: x.sin(), torch.randn(3))
    equations = [code.equations[0]._replace(attrs=(object(),))]
    held = Program(code.inputs, equations, code.outputs, code.constants, code.shapes, code.dtypes)
    assert image.name_of(held, ()) is None


def test_array_kernels_stand_between_native_code(monkeypatch):
    x = torch.randn(2, 3, 8, 8)
    first = Executable(program(lambda x: x.cumsum(0).kthvalue(2, 1)[0] + torch.arange(8.0), x))
    monkeypatch.setattr(equations, "lower", fails)
    second = Executable(Program.read(str(first.program)))
    assert len(second.segments) == len(first.segments) > 1
    for kept in (first, second, second):
        expected = x.cumsum(0).kthvalue(2, 1)[0] + torch.arange(8.0)
        np.testing.assert_array_equal(kept.run(x._value)[0], expected.numpy())


@pytest.mark.parametrize("draw", [
    lambda x, g: nn.functional.dropout(x) + torch.rand(3, 4, generator=g),
    lambda x, g: torch.rand_like(x.T) * 2 + torch.empty(3).normal_(generator=g),
])  # fmt: skip
def test_draws_come_from_the_generators_of_the_program(draw, monkeypatch):
    x = torch.randn(3, 4)
    made = []
    for _ in range(2):
        generator = torch.Generator()
        kept = Executable(program(draw, x, generator))
        torch.manual_seed(3)
        generator.manual_seed(5)
        made.append((kept.run(x._value)[0], kept.run(x._value)[0]))
        assert kept.generators == [torch.default_generator, generator]
        monkeypatch.setattr(equations, "lower", fails)
    torch.manual_seed(3)
    generator.manual_seed(5)
    for n in range(2):
        expected = draw(x, generator)._value
        assert all(np.array_equal(both[n], expected) for both in made)


#: Machine code of processes that are played.
HELD: list[Any] = []


def network(x: Any, w: Any, b: Any) -> Any:
    """A training step's gradients through convolutions, a batch norm and a pool."""
    y = nn.functional.conv2d(x, w, b, padding=1)
    y = nn.functional.batch_norm(y, None, None, training=True).relu()
    y = nn.functional.max_pool2d(y, 2) @ torch.full((12, 12), 0.5)
    y.sin().sum().backward()
    return y, w.grad, b.grad, x.grad


def network_program() -> tuple[Program, list[Any]]:
    torch.manual_seed(3)
    given = [torch.randn(*s, requires_grad=True) for s in ((16, 8, 24, 24), (8, 8, 3, 3), (8,))]
    arrays = [t._value.copy() for t in given]
    return program(network, *given), arrays


def a_new_process(monkeypatch: Any) -> None:
    """Let what was compiled and loaded be forgotten; the programs of before can still run."""
    HELD.extend(machine_code._loaded.values())
    monkeypatch.setattr(machine_code, "_loaded", WeakValueDictionary())
    monkeypatch.setattr(functions, "_addresses", {})
    for kernel in (
        kernels.correlation, kernels.weight, nonfinite._library, pooling.maxima, pooling.spread,
        channels.forward, channels.backward, product.compiled,
    ):  # fmt: skip
        kernel.cache_clear()


def test_code_that_was_compiled_apart_is_found_by_the_next_process(monkeypatch):
    a_new_process(monkeypatch)
    code, arrays = network_program()
    first = Executable(code)
    assert first.entry and "_joining" in first.llvm and "_transposition" in first.llvm
    a_new_process(monkeypatch)
    for module, name in ((equations, "lower"), (writer, "Writer"), (codegen, "module")):
        monkeypatch.setattr(module, name, fails)
    second = Executable(code)
    for a, b in zip(first.run(*arrays), second.run(*arrays), strict=True):
        assert a.tobytes() == b.tobytes()


def test_the_number_of_threads_changes_nothing(monkeypatch):
    code, arrays = network_program()
    expected = Executable(code).run(*arrays)
    before = torch.get_num_threads()
    for count in (1, 3):
        a_new_process(monkeypatch)
        torch.set_num_threads(count)
        try:
            found = Executable(code).run(*arrays)
        finally:
            torch.set_num_threads(before)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(expected, found, strict=True))


def test_whether_a_program_is_native_is_found_out_once(monkeypatch):
    x = torch.randn(4, 5)
    codes = [program(f, x) for f in (lambda x: x.exp() * 2, lambda x: x.exp().kthvalue(2, 1)[0])]
    assert [image.is_native(code) for code in codes] == [True, False]
    monkeypatch.setattr(equations, "lower", fails)
    assert [image.is_native(Program.read(str(code))) for code in codes] == [True, False]
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(AssertionError, match="lowered"):
            image.is_native(codes[0])
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("damage", [
    lambda path: path.unlink(),
    lambda path: path.write_bytes(path.read_bytes()[:-1]),
    lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
    lambda path: path.chmod(0o666),
], ids=["absent", "cut short", "changed", "writable for others"])  # fmt: skip
def test_where_code_compiled_apart_is_not_in_the_cache_the_program_is_compiled_anew(damage, monkeypatch):
    a_new_process(monkeypatch)
    code, arrays = network_program()
    first = Executable(code)
    expected = first.run(*arrays)
    symbol = next(s for s in first.writer.symbols if s.startswith("pullback_apart_"))
    entry = Path(cache.folder()) / f"{machine_code._entry(symbol[:39])}.code"
    damage(entry)
    a_new_process(monkeypatch)
    name = image.name_of(code, ())
    assert name is not None and image.read(name) is None
    for a, b in zip(expected, Executable(code).run(*arrays), strict=True):
        assert a.tobytes() == b.tobytes()
    if entry.stat().st_mode & 0o777 != 0o666:
        a_new_process(monkeypatch)
        assert image.read(name) is not None


def test_steps_of_a_training_in_the_next_process_are_the_first_ones(monkeypatch):
    def trained() -> Any:
        torch.manual_seed(0)
        model = nn.Sequential(
            nn.Embedding(6, 8), nn.Flatten(), nn.Linear(24, 16), nn.Tanh(), nn.Linear(16, 4)
        )
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)

        def step(indices: Any, target: Any) -> Any:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(indices), target)
            loss.backward()
            optimizer.step()
            return loss

        call = torch.compile(step, backend="native")
        losses = [call(torch.randint(0, 6, (9, 3)), torch.randint(0, 4, (9,))).item() for _ in range(5)]
        with pytest.raises(IndexError):
            call(torch.full((9, 3), 6), torch.zeros(9, dtype=torch.int64))
        return losses, [p.tolist() for p in model.parameters()], call

    losses, parameters, _ = trained()
    with monkeypatch.context() as patch:
        patch.setattr(equations, "lower", fails)
        again, twins, call = trained()
    assert again == losses and twins == parameters
    assert call._native.specializations[0].shortcut is not None
    assert "define" in str(call.llvm) and str(call.kernels)
