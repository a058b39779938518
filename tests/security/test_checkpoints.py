"""What a checkpoint may ask for, and what `get_unsafe_globals_in_checkpoint` sees in it."""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable
from typing import Any

import pytest
from tools.attack.pickles import archive, named, number, numbers, tensor, text, with_state

import pullback as torch

PROTO = b"\x80\x02"
unsafe = torch.serialization.get_unsafe_globals_in_checkpoint


def load(content: bytes) -> Any:
    return torch.load(io.BytesIO(archive(PROTO + content + b".", s0=struct.pack("<2f", 1, 2))))


def refused(content: bytes, why: str) -> None:
    with pytest.raises((pickle.UnpicklingError, RuntimeError), match=why):
        load(content)


# --- names --------------------------------------------------------------------------------------------------


def names(content: bytes) -> list[str]:
    return unsafe(io.BytesIO(archive(b"\x80\x04" + content + b".")))


SYSTEM = text("posix") + text("system")
MEMO = text("posix") + b"q\x01" + text("system") + b"q\x02"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (SYSTEM + b"\x93", ["posix.system"]),
        (MEMO + b"h\x01h\x02" + b"\x93", ["posix.system"]),
        # Decoys: texts that are pushed and dropped between the name and its use.
        (MEMO + text("collections") + text("OrderedDict") + b"00h\x01h\x02\x93", ["posix.system"]),
        (SYSTEM + text("collections") + text("Counter") + b"00\x93", ["posix.system"]),
        (SYSTEM + b"(" + text("collections") + text("Counter") + b"1\x93", ["posix.system"]),
        (text("posix") + b"\x94" + text("system") + b"\x94h\x00h\x01\x93", ["posix.system"]),
        (text("system") + b"q\x07" + text("posix") + b"h\x07\x93", ["posix.system"]),
        (SYSTEM + b"\x93" + text("echo") + b"\x85R", ["posix.system"]),
        (named("__builtin__", "eval"), ["builtins.eval"]),
        (named("collections", "OrderedDict") + b")R", []),
        # A class with arguments by keyword, and a frozen set, as protocol 4 writes them.
        (named("a", "B") + b")}\x92" + b"0(K\x01\x91", ["a.B"]),
    ],
)  # fmt: skip
def test_names_are_found_wherever_they_come_from(content: bytes, found: list[str]) -> None:
    assert names(content) == found


@pytest.mark.parametrize(
    "content",
    [
        named("builtins", "str") + text("posix") + b"\x85R" + text("system") + b"\x93",  # a computed module
        text("posix") + b"(" + text("system") + b"t\x93",  # a tuple for a name
        b"U\x05posix" + text("system") + b"\x93",  # a text whose encoding the program chooses
        text("posix") + b"h\x05\x93",  # nothing in the memo
        b"\x82\x01",  # a name from Python's registry of extensions
        b"(iposix\nsystem\n",  # an instruction of protocol 0
        b"(cposix\nsystem\no",
        b"Pref\n",
    ],
)
def test_what_cannot_be_followed_is_refused(content: bytes) -> None:
    with pytest.raises(pickle.UnpicklingError):
        names(content)


def test_a_file_that_begins_as_another_format_is_not_called_safe() -> None:
    # `load` reads the pickle at the front, the archive at the end says nothing of it.
    content = pickle.dumps(0x1950A86A20F9469CFC6C, 2) + archive(PROTO + b"N.")
    with pytest.raises(ValueError, match="Expected input to be a checkpoint returned by torch.save"):
        unsafe(io.BytesIO(content))


# --- attributes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "_value", "_counter", "_node", "_view", "_grad", "_leaf_hooks", "_level", "_sparse", "_shared",
        "data", "grad", "requires_grad", "_version", "_base", "__class__", "__dict__", "__array_interface__",
        "__array__", "__torch_function__",
    ],
)  # fmt: skip
def test_a_file_sets_no_attribute_that_a_program_could_not(name: str) -> None:
    state = b"}" + text(name) + b"K\x05s"
    for given in (state, state + b"N\x86", b"N" + state + b"\x86"):
        refused(with_state(given), "cannot set the attribute|has 2 parts")


def test_a_file_sets_what_a_program_could() -> None:
    found = load(with_state(b"}(" + text("note") + text("mine") + text("_is_param") + b"\x88u"))
    assert found.note == "mine" and found._is_param is True and found.tolist() == [1, 2]


def test_attributes_of_an_ordered_dict() -> None:
    empty = named("collections", "OrderedDict") + b")R"
    assert load(empty + b"}" + text("_metadata") + b"K\x01sb")._metadata == 1
    refused(empty + b"}" + text("__array_interface__") + b"K\x01sb", "cannot set the attribute")
    refused(empty + b"}K\x01K\x01sb", "cannot set the attribute 1")


class Own:
    pass


class OwnTensor(torch.Tensor):
    pass


def test_attributes_of_allowed_classes() -> None:
    with torch.serialization.safe_globals([(Own, "own.Own"), (OwnTensor, "own.OwnTensor")]):
        assert load(named("own", "Own") + b")\x81}" + text("x") + b"K\x01sb").x == 1
        refused(named("own", "Own") + b")\x81}" + text("__len__") + b"K\x01sb", "cannot set")
        made = named("own", "OwnTensor") + b")\x81"
        refused(made + b"N}" + text("_value") + b"K\x01s\x86b", "cannot set the attribute _value")
        refused(made + b"}" + text("_leaf_hooks") + b"K\x01sb", "cannot set the attribute _leaf_hooks")
        refused(made + b"K\x01b", "are a dict, not")


def test_only_a_rebuilding_function_rebuilds() -> None:
    inner = named("torch._tensor", "_rebuild_from_type_v2")
    refused(inner + b"(" + named("builtins", "set") + named("torch", "Tensor") + b")}tR", "is rebuilt by one")
    refused(inner + b"(" + inner + named("torch", "Tensor") + b")}tR", "is rebuilt by one")


# --- amounts ------------------------------------------------------------------------------------------------

DEEP = b")" + b"\x85" * 300_000
EXPANDED = tensor(size=(2**33,), stride=(0,))


@pytest.mark.parametrize(
    "content",
    [
        b"}" + DEEP + b"K\x01s",
        b"}(" + DEEP + b"K\x01u",
        b"\x8f(" + DEEP + b"\x90",
        named("builtins", "set") + b"]" + DEEP + b"a\x85R",
        named("collections", "Counter") + b"]" + DEEP + b"a\x85R",
        named("collections", "OrderedDict") + b"]" + DEEP + b"K\x01\x86a\x85R",
        b"}" + b")\x940" + b"".join(b"h%ch%c\x86\x940" % (i, i) for i in range(60)) + b"h\x3cK\x01s",
    ],
    ids=["setitem", "setitems", "additems", "set", "counter", "ordered", "shared"],
)
def test_a_deep_key_is_not_hashed(content: bytes) -> None:
    refused(content, "a key in the pickle is a tuple of more than 1000 parts")


def test_deep_values_are_values() -> None:
    found = load(DEEP)
    assert type(found) is tuple and len(found) == 1
    refused(DEEP + b"Q", "storage is allowed|which is no storage")
    refused(DEEP + b")R", "unrecognized function <class 'tuple'>")
    refused(b"(" + text("storage") + DEEP + b"tQ", "which is no storage")


@pytest.mark.parametrize(
    "name", ["builtins.set", "collections.Counter", "collections.OrderedDict", "torch.Size"]
)
@pytest.mark.parametrize("argument", [EXPANDED, b"\x8a\x05\0\0\0\0\1", text("a" * 10)])
def test_no_container_is_made_of_what_it_would_iterate_over(name: str, argument: bytes) -> None:
    refused(named(*name.rsplit(".", 1)) + argument + b"\x85R", "a checkpoint may not make one of")


@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("torch.Tensor", b"J\xff\xff\xff\x7f\x85", "may not make one of <class 'int'>"),
        ("builtins.bytearray", EXPANDED + b"\x85", "not <class 'torch.Tensor'>"),
        ("builtins.bytearray", b"J\xff\xff\xff\x7f\x85", "not <class 'int'>"),
        ("builtins.complex", EXPANDED + b"\x85", "may not make one of"),
        ("torch.device", b"]\x85", "may not make one of"),
        ("_codecs.encode", text("a") + b"]\x86", "latin1, ascii or utf-8, not in"),
        ("torch.serialization._get_layout", EXPANDED + b"\x85", "does not have the layout"),
    ],
)
def test_calls_take_what_they_are_written_with(name: str, arguments: bytes, why: str) -> None:
    refused(named(*name.rsplit(".", 1)) + arguments + b"R", why)


def test_calls_cannot_copy_one_text_many_times() -> None:
    bytes_of = named("_codecs", "encode") + b"q\x01" + text("a" * 100_000) + b"\x85q\x02"
    refused(b"](" + bytes_of + b"R" + b"h\x01h\x02R" * 1000 + b"e", "copy more than there is in it")


LONG = b"\x8b" + struct.pack("<i", 9000) + b"\x7f" * 9000


@pytest.mark.parametrize(
    "content",
    [
        LONG + b")R",
        LONG + b"Q",
        named("torch", "device") + text("cpu") + LONG + b"\x86R",
        named("torch._utils", "_rebuild_tensor") + b"(NK\x00" + LONG + b"\x85" + LONG + b"\x85tR",
        named("torch._utils", "_rebuild_meta_tensor_no_storage") + b"(" + named("torch", "float32") + LONG
        + b"\x85" + LONG + b"\x85\x89tR",
        b"(" + text("storage") + named("torch", "FloatStorage") + text("0") + text("cpu") + LONG + b"tQ",
        b"(" + text("storage") + LONG + text("0") + text("cpu") + number(2) + b"tQ",
        b"(" + text("storage") + named("torch", "FloatStorage") + text("0") + LONG + number(2) + b"tQ",
    ],
)  # fmt: skip
def test_numbers_of_thousands_of_digits(content: bytes) -> None:
    with pytest.raises((pickle.UnpicklingError, RuntimeError)) as caught:
        load(content)
    assert type(caught.value) in (pickle.UnpicklingError, RuntimeError)


def sparse(indices: bytes, values: bytes, size: tuple[int, ...]) -> bytes:
    layout = named("torch.serialization", "_get_layout") + text("torch.sparse_coo") + b"\x85R"
    parts = b"(" + indices + values + numbers(size) + b"\x89t"
    return named("torch._utils", "_rebuild_sparse_tensor") + layout + parts + b"\x86R"


def test_sparse_parts_are_looked_at() -> None:
    places = tensor(kind="IntStorage", size=(1, 2), stride=(2, 1))
    refused(sparse(places, tensor(), (1,)), "size is inconsistent with indices")
    refused(sparse(tensor(size=(2**20, 2**20), stride=(0, 0)), tensor(), (9,)), "with own elements")
    refused(sparse(b"N", tensor(), (9,)), "_rebuild_sparse_tensor")


# --- one error ----------------------------------------------------------------------------------------------


def good(**options: Any) -> bytes:
    stream = io.BytesIO()
    torch.save({"a": torch.ones(3)}, stream, **options)
    return stream.getvalue()


ZIP = "PytorchStreamReader failed reading zip archive: "


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (lambda c: b"", EOFError, "Ran out of input"),
        (lambda c: c[:-10], RuntimeError, ZIP + "failed finding central directory. This is an internal"),
        (lambda c: c.replace(b"PK\1\2", b"PK\1\3"), RuntimeError, ZIP + "invalid header or archive is"),
        (lambda c: c[:-6] + b"\xff" * 4 + c[-2:], RuntimeError, "PytorchStreamReader failed"),
        (lambda c: c.replace(b"data.pkl", b"data.p\xffl"), RuntimeError, "PytorchStreamReader failed"),
        (lambda c: c.replace(b"byteorder", b"byteorde\xff", 1), RuntimeError, "PytorchStreamReader failed"),
    ],
)
def test_damaged_archives(
    spoil: Callable[[bytes], bytes], error: type, message: str, tmp_path: Any
) -> None:
    content = spoil(good())
    path = tmp_path / "damaged.pt"
    path.write_bytes(content)
    for file in (io.BytesIO(content), path):
        with pytest.raises(error, match=message) as caught:
            torch.load(file)
        assert type(caught.value) is error


def test_a_directory_that_says_it_is_huge(tmp_path: Any) -> None:
    content = bytearray(good())
    end = content.rindex(b"PK\5\6")
    content[end + 12 : end + 20] = b"\xf0\xff\xff\x7f" * 2
    path = tmp_path / "huge.pt"
    path.write_bytes(content)
    with pytest.raises(RuntimeError, match=ZIP):
        torch.load(path)


def test_a_row_that_is_cut_off_says_how_much_is_missing() -> None:
    content = good(_use_new_zipfile_serialization=False)
    with pytest.raises(RuntimeError, match="unexpected EOF, expected 4 more bytes. The file might be"):
        torch.load(io.BytesIO(content[:-4]))
