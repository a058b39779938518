"""Networks run and train without SciPy, with the same numbers; what needs it says so; none loads it early."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.array import scipy_functions

#: What a process runs that has no SciPy.
WITHOUT = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
import json
import pullback as torch
from tests.array import test_scipy_functions as here

print(json.dumps(here.figures()))
try:
    torch.linalg.lu_factor(torch.eye(3))
except ModuleNotFoundError as error:
    assert error.__notes__ == ["SciPy computes this, and is not installed here: pip install scipy"]
else:
    raise AssertionError("lu_factor ran without SciPy")
"""

#: What a process runs that has SciPy, and must not load it.
EARLY = """
import sys
import pullback as torch
from pullback import nn

model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2)).eval()
with torch.no_grad():
    model(torch.randn(1, 1, 8, 8)).softmax(1)
assert "scipy" not in sys.modules
"""


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(50, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.head = nn.Linear(64, 50)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.encoder(self.embedding(tokens)))


def trained(model: Any, x: Any, y: Any) -> list[float]:
    """Return the losses of three steps, and a number of the model as it evaluates."""
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    found = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, -2), y.flatten())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        found.append(loss.item())
    model.eval()
    with torch.no_grad():
        return [*found, model(x).double().square().mean().item()]


def figures() -> list[float]:
    """Return numbers of a CNN and a transformer, and of functions that come from SciPy where it is there."""
    torch.manual_seed(0)
    cnn = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.GELU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(288, 3)
    )
    found = trained(cnn, torch.randn(4, 1, 14, 14), torch.randint(0, 3, (4,)))
    found += trained(cnn.double().train(), torch.randn(4, 1, 14, 14).double(), torch.randint(0, 3, (4,)))
    tokens = torch.randint(0, 50, (4, 12))
    found += trained(Transformer(), tokens, tokens)
    x = torch.linspace(-3, 3, 300, dtype=torch.float64)
    drawn = torch.empty(300).exponential_(), torch.empty(300).log_normal_()
    parts = [x.erf(), x.erfc(), torch.lgamma(x + 4), torch.fft.rfft(x).abs(), *drawn]
    return found + [t.double().square().sum().item() for t in parts]


def test_networks_without_scipy() -> None:
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], check=True, env=environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    np.testing.assert_allclose(json.loads(done.stdout.splitlines()[0]), figures(), rtol=1e-5)


def test_first_answers_do_not_load_scipy() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    subprocess.run([sys.executable, "-c", EARLY], check=True, env=environment, timeout=120)


ALONE = """
import sys
import numpy as np
from pullback.array import scipy_functions
import pullback as torch
a = torch.eye(100, dtype=torch.float64) * 4
assert float(torch.linalg.cholesky(a).sum()) == 200
assert float(torch.linalg.solve_triangular(a, a, upper=True).sum()) == 100
assert float(torch.fft.rfft(torch.ones(4))[0].real) == 4
loop = scipy_functions.extension("sparse._sparsetools").coo_matmat_dense
assert not [name for name in sys.modules if name.startswith("scipy.")], sorted(sys.modules)
import scipy.fft, scipy.linalg, scipy.sparse
assert scipy.linalg.lapack._flapack.dpotrf(np.eye(2))[1] == 0
assert scipy.fft.rfft(np.ones(4))[0] == 4
assert (scipy.sparse.coo_array(np.eye(2)) @ np.ones((2, 2)) == 1).all()
assert float(torch.linalg.cholesky(a).sum()) == 200
"""


def test_extensions_are_loaded_without_their_packages() -> None:
    pytest.importorskip("scipy")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    subprocess.run([sys.executable, "-c", ALONE], check=True, env=environment, timeout=120)


@pytest.mark.parametrize("name", ["erf", "erfc", "gammaln"])
def test_stand_ins_are_scipy_s(name: str) -> None:
    special = pytest.importorskip("scipy.special")
    stand_in = scipy_functions._STAND_INS[name]
    x = np.array([[-np.inf, -3.0, -1.5, -0.0], [0.0, 1e-30, 2.5, np.inf], [np.nan, 170.0, 1e30, 7.0]])
    np.testing.assert_allclose(stand_in(x), getattr(special, name)(x), rtol=1e-13)
    narrow = x.astype(np.float32)
    out = np.empty((3, 4), np.float32)
    assert stand_in(narrow, out=out) is out
    assert stand_in(narrow).dtype == np.float32
    np.testing.assert_allclose(out, getattr(special, name)(narrow), rtol=1e-6)
