"""Recording explains each call of the program, and the program does not notice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import pullback as torch
from pullback import nn
from pullback.explain import explain, record

ROOT = Path(__file__).parents[2]


def test_every_call_in_the_block_is_explained() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as r:
        for v in ([1.0, 1.0], [1.0, 10.0]):
            y = 3 * x**2
            y.backward(torch.tensor(v))
        z = (x * x).sum()
        (g,) = torch.autograd.grad(z, x)
        torch.autograd.backward([x * 2, x * 3], [torch.ones(2), torch.ones(2)])
    y.sum().requires_grad_()
    assert [e.call.kind for e in r.explanations] == ["backward", "backward", "grad", "backward"]
    first, second, third, fourth = r.explanations
    assert first.call.code == "y.backward(torch.tensor(v))"
    assert Path(first.call.file).name == "test_record.py"
    assert first.leaf("x").before is None
    assert_array_equal(first.leaf("x").after.array, [6, 12])
    assert_array_equal(second.leaf("x").before.array, [6, 12])
    assert_array_equal(second.leaf("x").after.array, [12, 132])
    assert_array_equal(third.leaf("x").gradient.array, g)
    assert third.leaf("x").after is None
    assert third.outputs[0].name == "z"
    assert [o.name for o in fourth.outputs] == ["y0", "y1"]
    assert [o.written for o in fourth.outputs] == ["x * 2", "x * 3"]
    assert_array_equal(fourth.leaf("x").contributions[-1].running.array, [5, 5])
    assert_array_equal(fourth.leaf("x").after.array, x.grad)


def test_nothing_is_recorded_outside_the_block() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as r:
        pass
    (x * x).sum().backward()
    assert r.explanations == []


def test_calls_of_the_library_are_not_the_programs() -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with record() as r:
        torch.autograd.gradcheck(lambda t: t * t, (x,))
        torch.autograd.functional.jacobian(lambda t: t * t, x)
    assert r.explanations == []


def test_from_a_line_that_calls_often_the_first_ones_are_explained_in_full() -> None:
    x = torch.ones(2, requires_grad=True)
    with record(in_full=2) as r:
        for _ in range(4):
            (x * x).sum().backward()
    assert [bool(e.steps) for e in r.explanations] == [True, True, False, False]
    assert_array_equal(r[1].leaf("x").after.array, [4, 4])
    assert [e.loss for e in r] == [None, None, 2, 2]
    assert_array_equal(x.grad, [8, 8])


def test_steps_know_their_module_and_fold_by_it() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 4)), nn.Linear(4, 1))
    with record() as r:
        net(torch.ones(2, 3)).sum().backward()
    (explanation,) = r.explanations
    relu = next(s for s in explanation.steps if s.op == "relu")
    assert relu.module == "net.1.0"
    assert explanation.leaf("net.1.1.weight").shape == (4, 4)
    groups = {s.name: s for s in explanation.steps if s.kind == "group"}
    assert set(groups) == {"net", "net.0", "net.1", "net.1.1", "net.2"}
    assert groups["net.1.1"].id in groups["net.1"].members
    assert relu.id in groups["net.1"].members


def test_a_hook_that_changes_the_gradient_is_noted_and_called_once() -> None:
    x = torch.ones(2, requires_grad=True)
    calls = []
    y = x * 3
    y.register_hook(lambda g: calls.append(g) or g * 2)
    with record() as r:
        y.sum().backward()
    assert len(calls) == 1
    assert_array_equal(x.grad, [6, 6])
    (leaf,) = r[0].leaves
    assert_array_equal(leaf.gradient.array, [3, 3])
    assert_array_equal(leaf.after.array, [6, 6])
    assert any("a hook changed it" in note for note in r[0].notes)
    assert any("Hooks stand on the way" in note for note in r[0].notes)


def test_a_call_that_fails_fails_as_ever_and_is_noted() -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x.exp() + 1).sum()
    with record() as r:
        y.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            y.backward()
    assert r[0].notes == []
    assert any("second time" in note for note in r[1].notes)
    assert_array_equal(x.grad, np.exp(np.ones(2, np.float32)))


def test_graphs_are_freed_unless_they_are_to_be_kept() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as r:
        (x * x).sum().backward()
    with pytest.raises(RuntimeError, match="the graph of this call is gone"):
        r[0].row(0)
    with record(keep_graphs=True) as r:
        y = x * x
        y.backward(torch.ones(2), retain_graph=True)
    assert_array_equal(r[0].row(1)["x"], [0, 2])


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "pullback", "explain", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=120)


PROGRAM = """\
import sys
import torch
x = torch.tensor([1., 2.], requires_grad=True)
for scale in (1, 10):
    y = x ** 2 * scale
    y.backward(torch.ones(2))
print("printed", sys.argv[1:], __name__)
sys.exit(3)
"""


def test_an_unmodified_program(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    done = run("--full", "--calls", "1", str(file), "--calls", "9")
    assert done.returncode == 3, done.stderr
    first, _, rest = done.stdout.partition("\n")
    assert first == "printed ['--calls', '9'] __main__"
    assert "program.py:6" in rest
    assert "x.grad was None and became this" in rest
    assert "── call 2, line 6" in rest


def test_an_unknown_option() -> None:
    done = run("--colour", "x.py")
    assert done.returncode == 2
    assert "unknown option --colour" in done.stderr


def test_a_page_for_all_calls(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with record() as r:
        (x * x).sum().backward()
        (x * 3).sum().backward()
    r.save(tmp_path / "all.html")
    r[0].save(tmp_path / "one.html")
    assert "<html" in (tmp_path / "all.html").read_text(encoding="utf-8")
    assert "(x * x).sum().backward()" in (tmp_path / "one.html").read_text(encoding="utf-8")
    assert "<iframe" in r[0]._repr_html_()


def test_the_data_is_json() -> None:
    x = torch.tensor([[0.0, 2.0]], dtype=torch.bfloat16, requires_grad=True)
    z = torch.tensor([1 + 2j], requires_grad=True)
    with record() as r:
        (x.log() * 0).sum().backward()
        (z * z).backward(torch.tensor([1j]))
    for explanation in r.explanations:
        read = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
        assert read["version"] == 2
        assert read["call"]["kind"] == "backward"
    assert r[0].to_dict()["leaves"][0]["gradient"]["data"][0][0] == "nan"
    assert r[1].to_dict()["leaves"][0]["gradient"]["data"] == [[4.0, 2.0]]


def test_ten_thousand_steps() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x
    for _ in range(5000):
        y = y * 1.0001
        y = y + 0.1
    explanation = explain(y, torch.ones(3))
    assert len([s for s in explanation.steps if s.kind != "group"]) == 10_001
    assert len(explanation.arrows) == 10_000
    assert [len(s.members) for s in explanation.steps if s.kind == "group"] == [5000, 5000]
    assert len(str(explanation).splitlines()) < 400


def test_the_module_is_called_and_not_loaded_before() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    explanation = torch.explain((x * x).sum())
    assert_array_equal(explanation.leaf("x").gradient.array, [2, 4])
    assert isinstance(torch.explain.record(), type(record()))
    code = "import pullback, sys; assert 'pullback.explain' not in sys.modules"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
