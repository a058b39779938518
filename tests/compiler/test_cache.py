"""Machine code on disk: it is found again, and what is not as written is as if it were not there."""

from __future__ import annotations

import marshal
import os
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llvmlite")
from pullback.compiler.runtime import cache, engine, python_code


@pytest.fixture
def place(tmp_path: Path, monkeypatch: Any) -> Path:
    folder = tmp_path / "kept"
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(folder))
    return folder


def entry(place: Path) -> Path:
    (found,) = place.glob("*.code")
    return found


def test_entries_come_back(place):
    name = cache.key("a", b"b")
    assert cache.read(name) is None
    cache.write(name, {"x": [1, "y"]}, b"content")
    assert cache.read(name) == ({"x": [1, "y"]}, b"content")
    assert cache.key("a", b"c") != name != cache.key("ab", b"")
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    cache.clear()
    assert cache.read(name) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1], lambda data: b"", lambda data: data[:40], lambda data: b"x" + data,
        lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:], lambda data: data[:30] + data[31:] + b"x",
    ],
)  # fmt: skip
def test_a_damaged_entry_is_absent_and_removed(place, damage):
    cache.write("n", [], b"content")
    path = entry(place)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.read("n") is None
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no such modes here")
def test_a_folder_or_entry_that_others_may_write_to_is_not_used(place):
    cache.write("n", [], b"content")
    path = entry(place)
    path.chmod(0o666)
    assert cache.read("n") is None
    path.chmod(0o600)
    assert cache.read("n") is not None
    place.chmod(0o777)
    assert cache.read("n") is None
    cache.write("m", [], b"more")
    assert list(place.glob("*.code")) == [path]
    place.chmod(0o700)
    link = place / "l.code"
    link.symlink_to(path)
    assert cache.read("l") is None


def test_a_folder_that_cannot_be_made_is_no_error(monkeypatch, tmp_path):
    monkeypatch.setenv("PULLBACK_CACHE", "1")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PULLBACK_CACHE_DIR", str(tmp_path / "file" / "below"))
    cache.write("n", [], b"content")
    assert cache.read("n") is None
    cache.clear()


def test_off_and_named_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("PULLBACK_CACHE", "0")
    assert cache.folder() is None
    cache.write("n", [], b"content")
    monkeypatch.delenv("PULLBACK_CACHE")
    monkeypatch.delenv("PULLBACK_CACHE_DIR", raising=False)
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache.folder() == str(tmp_path / "pullback")
    assert not list(tmp_path.iterdir())


def test_the_oldest_entries_go_when_there_is_too_much(place, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 4000)
    monkeypatch.setattr(cache, "SELDOM", 1)
    for n in range(4):
        cache.write(str(n), [], bytes(900))
        path = place / f"{n}.code"
        os.utime(path, (1000 + n, 1000 + n))
    assert cache.read("0") is not None
    cache.write("4", [], bytes(900))
    assert {p.stem for p in place.glob("*.code")} == {"0", "3", "4"}


def test_pythons_code_is_read_instead_of_compiled(place, monkeypatch):
    given = "def call():\n    return [k + 1 for k in (6,)][0]\n", "a place"
    first = python_code.code_of(*given)
    kept = entry(place).read_bytes()
    compiling = []
    monkeypatch.setattr(
        python_code, "compile", lambda *given: compiling.append(given) or compile(*given), raising=False
    )
    assert python_code.code_of(*given) == first
    assert not compiling
    scope: dict[str, Any] = {}
    exec(first, scope)
    assert scope["call"]() == 7
    # Code of something else, and none at all.
    name = cache.key_of_python(*given)
    for content in (marshal.dumps(7), b"", b"c"):
        cache.write(name, None, content)
        assert python_code.code_of(*given) == first
    assert len(compiling) == 3
    assert entry(place).read_bytes() == kept
    python_code.code_of(given[0], "another place")
    assert len(list(place.glob("*.code"))) == 2


FIRST_OPS = """
import pullback as torch
x = torch.ones(3, requires_grad=True)
{}
"""


def test_processes_that_call_ops_in_another_order_share_their_code(place):
    names = []
    for ops in ("x.exp(); x.sigmoid(); x @ x", "x @ x; x.exp(); x.sigmoid()"):
        subprocess.run([sys.executable, "-c", FIRST_OPS.format(ops)], check=True)
        names.append({path.name for path in place.glob("*.code")})
    assert names[0]
    assert names[0] == names[1]


def test_many_writers_and_readers(place):
    errors = []

    def work(seed: int) -> None:
        for n in range(40):
            cache.write(str(n % 3), seed, bytes([n % 3]) * 5000)
            found = cache.read(str((n + seed) % 3))
            if found is not None and found[1] != bytes([(n + seed) % 3]) * 5000:
                errors.append(found)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(list(place.iterdir())) == 3


_PROGRAM = textwrap.dedent(
    """
    import pullback as torch
    from pullback.compiler.emit import codegen
    compiled = []
    compile = codegen.compiled
    def counted(text, *how):
        compiled.append(text)
        return compile(text, *how)
    codegen.compiled = counted
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 3)
    )
    optimizer = torch.optim.Adam(model.parameters())
    @torch.compile(backend="native")
    def step(x, target):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss
    x, target = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
    print([step(x, target).item() for _ in range(4)], len(compiled))
    """
)
_IMPORTED = textwrap.dedent(
    """
    import platform, sys
    builders = (
        "lower.equations", "lower.lowered", "passes.memory_plan", "emit.emitter", "emit.writer",
        "emit.product", "emit.convolution", "eager_kernels.draws_text",
    )
    names = {f"pullback.compiler.{name}" for name in builders}
    if platform.machine() == "x86_64" and sys.platform == "linux":
        names.add("llvmlite.binding")
    assert not names & sys.modules.keys(), names & sys.modules.keys()
    """
)


def run(text: str) -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "PULLBACK_COMPILE_PROCESSES": "0"},  # it counts what itself compiles
    )  # fmt: skip
    numbers, _, count = done.stdout.strip().rpartition(" ")
    return numbers, int(count)


def test_another_process_compiles_nothing(place):
    first = run(_PROGRAM)
    assert first[1] > 0
    # What builds programs is not even imported there.
    assert run(_PROGRAM + _IMPORTED) == (first[0], 0)
    for path in place.glob("*.code"):
        path.write_bytes(path.read_bytes()[:-20])
    assert run(_PROGRAM) == first


def test_code_is_named_by_the_processor(monkeypatch):
    name = cache.key("text")
    cache._surroundings.cache_clear()
    cache._compiler.cache_clear()
    monkeypatch.setattr(engine, "machine_name", lambda: "another")
    try:
        assert cache.key("text") != name
    finally:
        cache._surroundings.cache_clear()
        cache._compiler.cache_clear()
