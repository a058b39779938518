"""An op is one declaration: a copy of the project with one more declaration and one more row of samples has
the function, its method, its twins in place, `out=`, all derivatives, a native loop, stubs and a row of
docs/ops.md; masked, sparse and distributed tensors, graphs and ONNX know it.
"""

from __future__ import annotations

import filecmp
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("llvmlite")
pytest.importorskip("onnx")

ROOT = Path(__file__).parents[2]

DECLARATION = '''
versine = _float("versine", lambda x, /, out=...: np.subtract(1, np.cos(x), out=out),
                 lambda g, x: g * sin(x),
                 summary="Return 1 - cos(x) of each element.",
                 names=("versine", "haversin", "special.versine"))
'''
PAIR = '''
from .signatures import TWO

midpoint = elementwise(
    "midpoint", lambda x, y, /, out=...: np.multiply(np.add(x, y), 0.5, out=out),
    lambda g: g * 0.5, lambda g: g * 0.5, promote="float", signatures=TWO,
    summary="Return the number in the middle of both elements.",
)
'''
SAMPLE = '''
SAMPLES.append(Sample("versine", (normal(3, 4),), reference=lambda x: 1 - np.cos(x)))
SAMPLES.append(Sample("midpoint", (normal(3, 4), normal(4)), reference=lambda x, y: (x + y) / 2))
'''
PROGRAM = """
import pullback as torch
import pullback.special

x = torch.linspace(-2, 2, 5, dtype=torch.float64, requires_grad=True)
y = 1 - x.cos()
out = torch.empty(5, dtype=torch.float64)
with torch.no_grad():
    torch.versine(x, out=out)
    found = torch.special.versine(x), x.versine(), x.clone().versine_(), torch.haversin(x), out
    found = *found, torch.versine_(x.clone())
assert all(torch.equal(y, z) for z in found)
assert torch.versine(torch.arange(3)).dtype == torch.float32
(g,) = torch.autograd.grad(torch.versine(x).sum(), x, create_graph=True)
assert torch.allclose(g, x.sin())
assert torch.allclose(torch.autograd.grad(g.sum(), x)[0], x.cos())
assert torch.allclose(torch.func.jvp(torch.versine, (x,), (torch.ones_like(x),))[1], x.sin())
assert torch.equal(torch.vmap(torch.versine)(x.reshape(5, 1)), y.reshape(5, 1))
assert repr(torch.versine(x)).endswith("grad_fn=<VersineBackward0>)")
assert torch.versine.__doc__.startswith("Return 1 - cos(x) of each element.")
assert torch.equal(x.midpoint(y), torch.midpoint(x, other=y))
assert torch.equal(x.detach().clone().midpoint_(y), (x + y) / 2)
assert torch.autograd.grad(torch.midpoint(x, y.detach()).sum(), x)[0].tolist() == [0.5] * 5

from pullback.masked import masked_tensor

masked = masked_tensor(x.detach(), x > 0)
assert torch.equal(torch.versine(masked).get_data()[x > 0], y[x > 0].detach())
assert torch.midpoint(masked, masked).get_mask().tolist() == (x > 0).tolist()
entries = torch.eye(2).to_sparse().requires_grad_()
torch.sparse.sum(torch.versine(entries)).backward()
assert torch.allclose(entries.grad.to_dense(), torch.eye(2) * torch.tensor(1.0).sin())

from pullback.distributed.tensor.strategies import _elementwise, _rule

assert _rule("versine") is _rule("midpoint") is _elementwise

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.midpoint(torch.versine(x), x)

model = Model()
assert "torch.versine(x)" in torch.fx.symbolic_trace(model).code
assert {node.op_type for node in torch.onnx.export(model, (x,)).model_proto.graph.node} >= {"Cos", "Sub"}

from pullback.compiler.lower.filling import Call

compiled = torch.compile(lambda x: torch.midpoint(torch.versine(x), torch.versine(x) * 3))
assert torch.allclose(compiled(x), 2 * y)
assert not [s for s in compiled._native.specializations[-1].forward.steps if isinstance(s, Call)]
"""
ADDED = {
    "src/pullback/ops/elementwise.py": DECLARATION + PAIR, "tests/ops/samples/special.py": SAMPLE
}  # fmt: skip
GENERATED = {
    "docs/ops.md", "src/pullback/__init__.pyi", "src/pullback/special/__init__.pyi",
    "src/pullback/tensor/methods.pyi",
}  # fmt: skip


def _changed(copy: Path) -> set[str]:
    """Return the generated files that differ from the project's."""
    files = [*copy.rglob("*.pyi"), *copy.rglob("*.md")]
    names = (file.relative_to(copy).as_posix() for file in files)
    return {name for name in names if not filecmp.cmp(ROOT / name, copy / name, shallow=False)}


def _run(copy: Path, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(copy / "src"), str(copy)))}
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=environment, cwd=copy, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_op_is_one_declaration(tmp_path: Path) -> None:
    for name in ("src/pullback", "tools", "tests/ops", "docs"):
        skipped = shutil.ignore_patterns("__pycache__", *["data"] * name.startswith("tests"))
        shutil.copytree(ROOT / name, tmp_path / name, ignore=skipped)
    for name in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name, text in ADDED.items():
        with open(tmp_path / name, "a", encoding="utf-8") as file:
            file.write(text)
    _run(tmp_path, "-m", "tools.generate")
    assert _changed(tmp_path) == GENERATED
    stub = (tmp_path / "src/pullback/tensor/methods.pyi").read_text(encoding="utf-8")
    assert "def versine(self) -> Tensor:" in stub
    assert "def versine_(self) -> " in stub
    page = (tmp_path / "docs/ops.md").read_text(encoding="utf-8")
    assert "| `versine` | ✓ | ✓ | ✓ | ✓ | rule |  | loop |" in page
    _run(tmp_path, "-c", PROGRAM)
    generic = ("-m", "pytest", "-q", "-p", "no:xdist", "tests/ops/test_generic.py")
    _run(tmp_path, *generic, "-k", "versine or midpoint")
