"""Checkpoints of torch's load here, and what is saved here is what torch would have saved."""

from __future__ import annotations

import io
import json
import os
import pickle
import pickletools
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback.serialization import archive
from tests.recorded import DATA, load

from .contents import content, described
from .old_tar import old_checkpoint

RECORD = load("checkpoints")
FOLDER = DATA / "checkpoints"


def as_data(value: Any) -> Any:
    return json.loads(json.dumps(described(value)))


def saved(value: Any, **options: Any) -> io.BytesIO:
    stream = io.BytesIO()
    torch.save(value, stream, **options)
    stream.seek(0)
    return stream


@pytest.mark.parametrize("name", ["archive.pt", "rows.pt"])
@pytest.mark.parametrize("weights_only", [True, False])
def test_torchs_checkpoint(name: str, weights_only: bool) -> None:
    loaded = torch.load(FOLDER / name, weights_only=weights_only)
    assert as_data(loaded) == RECORD["content"]
    assert loaded["param"] is loaded["param again"]
    loaded["matrix"][0, 1] = 9
    assert loaded["column"][0] == 9 and loaded["transposed"][1, 0] == 9


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize("weights_only", [True, False])
def test_own_checkpoint(new: bool, weights_only: bool) -> None:
    stream = saved(content(torch), _use_new_zipfile_serialization=new)
    loaded = torch.load(stream, weights_only=weights_only)
    assert as_data(loaded) == RECORD["content"]
    loaded["matrix"][0, 1] = 9
    assert loaded["column"][0] == 9


def test_names_in_the_file_are_torchs() -> None:
    with zipfile.ZipFile(saved(content(torch))) as mine, zipfile.ZipFile(FOLDER / "archive.pt") as theirs:

        def names(file: zipfile.ZipFile) -> list[Any]:
            content = file.read("archive/data.pkl")
            return [a for code, a, _ in pickletools.genops(content) if code.name == "GLOBAL"]

        assert names(mine) == names(theirs)
        assert {i.filename for i in mine.infolist()} == {i.filename for i in theirs.infolist()}
        for entry in theirs.infolist():
            if "/data/" in entry.filename:
                assert mine.read(entry.filename) == theirs.read(entry.filename)


def test_storages_begin_on_boundaries() -> None:
    stream = saved({"a": torch.ones(3), "b": torch.ones(5)})
    raw = stream.getvalue()
    with zipfile.ZipFile(stream) as file:
        for entry in file.infolist():
            name, extra = raw[entry.header_offset + 26 :][:2], raw[entry.header_offset + 28 :][:2]
            start = (
                entry.header_offset + 30 + int.from_bytes(name, "little") + int.from_bytes(extra, "little")
            )
            assert start % archive.ALIGNMENT == 0


def test_torch_reads_own_checkpoint() -> None:
    real = pytest.importorskip("torch")
    for new in (True, False):
        stream = saved(content(torch), _use_new_zipfile_serialization=new)
        assert as_data(real.load(stream, weights_only=True)) == RECORD["content"]


@pytest.mark.parametrize("name", ["complex32", "float8_e5m2", "float8_e8m0fnu", "uint16"])
def test_dtypes_without_a_storage_class(name: str) -> None:
    x = torch.tensor([1, 2]).to(getattr(torch, name))
    stream = saved({"whole": x, "part": x[1:]})
    with zipfile.ZipFile(stream) as file:
        content = file.read("archive/data.pkl")
    named = [argument for code, argument, _ in pickletools.genops(content) if code.name == "GLOBAL"]
    assert named[:2] == ["torch._utils _rebuild_tensor_v3", "torch.storage UntypedStorage"]
    assert repr(torch.load(stream)) == repr({"whole": x, "part": x[1:]})
    real = pytest.importorskip("torch")
    stream.seek(0)
    assert repr(real.load(stream)) == repr({"whole": x, "part": x[1:]})


def test_a_model_of_torchs() -> None:
    model = torch.load(FOLDER / "model.pt", weights_only=False)
    torch.load(FOLDER / "training.pt")
    model.load_state_dict(torch.load(FOLDER / "training.pt")["model"])
    out = model.eval()(torch.arange(32.0).reshape(2, 1, 4, 4))
    assert torch.allclose(out, torch.tensor(RECORD["model"]), rtol=1e-4, atol=1e-5)


def test_an_optimizer_of_torchs() -> None:
    model = torch.load(FOLDER / "model.pt", weights_only=False)
    optimizer = torch.optim.Adam(model.parameters())
    optimizer.load_state_dict(torch.load(FOLDER / "training.pt")["optimizer"])
    assert all(state["step"] == 1 for state in optimizer.state.values())


def test_mapped_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save(content(torch), path)
    before = path.read_bytes()
    loaded = torch.load(path, mmap=True)
    assert as_data(loaded) == RECORD["content"]
    loaded["matrix"].zero_()
    assert path.read_bytes() == before
    with pytest.raises(ValueError, match="f must be a file path in order to use the mmap argument"):
        torch.load(io.BytesIO(before), mmap=True)


def test_tensor_subclasses_and_attributes() -> None:
    x = torch.ones(2)
    x.note = "mine"
    assert torch.load(saved(x)).note == "mine"


def test_allowed_by_the_user() -> None:
    stream = saved(Path("a"))
    name = f"{type(Path()).__module__}.PosixPath"  # another module's in CPython 3.13
    with pytest.raises(pickle.UnpicklingError, match=f"GLOBAL {name} was not an allowed global"):
        torch.load(stream)
    stream.seek(0)
    assert torch.serialization.get_unsafe_globals_in_checkpoint(stream) == [name]
    stream.seek(0)
    with torch.serialization.safe_globals([type(Path())]):
        assert torch.load(stream) == Path("a")
    assert torch.serialization.get_safe_globals() == []


@pytest.mark.parametrize("kind", [str, Path])
def test_an_exception_while_saving_leaves_the_old_file(tmp_path: Path, kind: type) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2), kind(path))
    before = path.read_bytes()
    with pytest.raises((pickle.PicklingError, AttributeError)):
        torch.save([torch.ones(3), lambda: None], kind(path))
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["x.pt"]


def test_a_process_killed_while_saving_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.pt"
    torch.save(torch.ones(2), path)
    before = path.read_bytes()
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(torch.__file__).parent.parent)!r})
import pullback as torch
from pullback.serialization.archive import Writer
write = Writer.write
def killed(self, name, content):
    write(self, name, content)
    if name.startswith("data/"):
        os.kill(os.getpid(), signal.SIGKILL)
Writer.write = killed
torch.save(torch.zeros(1000), {str(path)!r})
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda d: torch.load(d / "nothing"), FileNotFoundError, "No such file"),
        (lambda d: torch.save(1, d / "no" / "x"), RuntimeError, "Parent directory .* does not exist"),
        (
            lambda d: torch.save(1, 3),
            AttributeError,
            "expected 'f' to be string, path, or a file-like object",
        ),
        (lambda d: torch.load(3), AttributeError, "You can only torch.load from a file that is seekable"),
        (lambda d: torch.load(io.BytesIO()), EOFError, "Ran out of input"),
        (lambda d: torch.load(io.BytesIO(b"PK\x03\x04" + bytes(50))), RuntimeError, "failed finding central"),
        (
            lambda d: torch.load(saved(1), pickle_module=pickle, weights_only=True),
            RuntimeError,
            "Can not safely load weights when explicit pickle_module is specified",
        ),
        (
            lambda d: torch.load(saved(torch.ones(1)), map_location="cuda"),
            RuntimeError,
            "Attempting to deserialize object on a CUDA device",
        ),
        (
            lambda d: torch.save([(x := torch.zeros(2)), x.view(torch.int32)], io.BytesIO()),
            RuntimeError,
            "Cannot save multiple tensors or storages that view the same data as different types",
        ),
    ],
)
def test_refused(tmp_path: Path, make: Any, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        make(tmp_path)


def test_the_oldest_format() -> None:
    loaded = torch.load(io.BytesIO(old_checkpoint()), weights_only=False)
    assert loaded["a"].tolist() == [[0, 1, 2], [3, 4, 5]] and loaded["a"] is loaded["b"]


def test_the_oldest_format_with_a_wrong_size() -> None:
    with pytest.raises(RuntimeError, match="cut off"):
        torch.load(io.BytesIO(old_checkpoint(elements=1 << 40)), weights_only=False)


def test_the_oldest_format_is_not_for_weights_only() -> None:
    with pytest.raises(RuntimeError, match=r"legacy .tar format"):
        torch.load(io.BytesIO(old_checkpoint()))
