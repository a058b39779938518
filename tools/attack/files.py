"""Hostile checkpoints, each of which follows from a seed and a number.

They are made of good files by changes of bytes, of the fields of the zip format, of the instructions of the
pickle, of headers; and from nothing, by a grammar of pickles that knows what may be called and with what.
"""

from __future__ import annotations

import io
import json
import pickle
import pickletools
import random
import struct
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import pullback as torch
from pullback.serialization.legacy import MAGIC, VERSION

from . import pickles

PROTO = b"\x80\x02"

NUMBERS = (
    0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**62,
    2**63 - 1, -1, -2, -8, -(2**31), -(2**63),
)  # fmt: skip

ALLOWED = (
    ("collections", "OrderedDict"), ("collections", "Counter"), ("torch.nn.parameter", "Parameter"),
    ("torch.serialization", "_get_layout"), ("torch", "Size"), ("torch", "Tensor"), ("torch", "device"),
    ("_codecs", "encode"), ("builtins", "bytearray"), ("__builtin__", "bytearray"), ("builtins", "set"),
    ("__builtin__", "set"), ("builtins", "complex"), ("torch._tensor", "_rebuild_from_type_v2"),
    ("torch", "float32"), ("torch", "bfloat16"), ("torch", "int64"), ("torch", "FloatStorage"),
    ("torch.storage", "UntypedStorage"), ("torch", "BFloat16Storage"), ("torch", "ComplexDoubleStorage"),
    ("torch._utils", "_rebuild_parameter"), ("torch._utils", "_rebuild_parameter_with_state"),
    ("torch._utils", "_rebuild_tensor"), ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_tensor_v3"), ("torch._utils", "_rebuild_sparse_tensor"),
    ("torch._utils", "_rebuild_meta_tensor_no_storage"),
)  # fmt: skip

HOSTILE = (
    ("os", "system"), ("posix", "system"), ("builtins", "eval"), ("__builtin__", "exec"),
    ("builtins", "open"), ("builtins", "getattr"), ("builtins", "__import__"), ("subprocess", "Popen"),
    ("_codecs", "decode"), ("tools.attack.canary", "touch"), ("tools.attack.canary", "Trap"),
    ("torch", "load"), ("torch.hub", "load"), ("torch", "save"), ("torch", "Tensor.__class__"),
    ("torch", "_utils._rebuild_tensor"), ("pickle", "loads"), ("copyreg", "_reconstructor"),
    ("copy_reg", "_reconstructor"), ("functools", "partial"), ("torch.nn", "Linear"), ("numpy", "load"),
    ("numpy._core.multiarray", "_reconstruct"), ("operator", "attrgetter"), ("types", "CodeType"),
    ("torch", "FloatStorage.__call__"), ("collections", "OrderedDict.fromkeys"), ("torch._utils", "np"),
    ("torch.serialization", "os.system"), ("", ""), ("torch", ""), ("torch", "jit.load"), ("sys", "exit"),
)  # fmt: skip

NAMES = (
    "weight", "_metadata", "_value", "_node", "_view", "_counter", "_level", "grad", "data", "__class__",
    "__dict__", "__array_interface__", "__reduce__", "_leaf_hooks", "requires_grad", "_is_param", "shape",
    "backward", "", "é", "a" * 300,
)  # fmt: skip


# --- good files ---------------------------------------------------------------------------------------------


@cache
def good() -> tuple[bytes, bytes]:
    """Return a good archive and a good row of pickles, with one of everything."""
    param = torch.nn.Parameter(torch.ones(2))
    param.note = "mine"
    x = torch.arange(6.0).reshape(2, 3)
    content = {
        "x": x, "column": x[:, 1], "param": param, "half": torch.ones(3, dtype=torch.bfloat16), "set": {1, 2},
        "state": OrderedDict(weight=torch.ones(1), bias=None), "size": x.shape, "plain": [1, -2, 2.5, 2**70],
        "text": "text é", "bytes": b"ab", "complex": 1 + 2j, "flag": True, "device": torch.device("cpu"),
        "dtype": torch.int64, "meta": torch.empty(3, device="meta"), "number": torch.tensor(3.5),
        "sparse": torch.eye(2).to_sparse(),
    }  # fmt: skip
    found = []
    for zipped in (True, False):
        stream = io.BytesIO()
        torch.save({**content}, stream, _use_new_zipfile_serialization=zipped)
        found.append(stream.getvalue())
    return found[0], found[1]


@cache
def _records() -> tuple[bytes, dict[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(good()[0])) as file:
        names = file.namelist()
        folder = names[0].split("/")[0]
        return file.read(f"{folder}/data.pkl"), {
            "s" + n.split("/")[2]: file.read(n) for n in names if n.startswith(f"{folder}/data/")
        }


@cache
def _instructions() -> list[bytes]:
    content = _records()[0]
    places = [place for _, _, place in pickletools.genops(content) if place is not None]
    return [content[a:b] for a, b in zip(places, [*places[1:], len(content)], strict=True)]


# --- changes ------------------------------------------------------------------------------------------------


def _changed(chance: random.Random, content: bytes) -> bytes:
    """Change, cut out or put in some bytes."""
    made = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        if not made:
            break
        at = chance.randrange(len(made))
        kind = chance.randrange(6)
        if kind == 0:
            made[at] = chance.randrange(256)
        elif kind == 1:
            made[at : at + 4] = struct.pack("<I", chance.choice(NUMBERS) & 0xFFFFFFFF)
        elif kind == 2:
            del made[at : at + chance.randint(1, 40)]
        elif kind == 3:
            made[at:at] = chance.randbytes(chance.randint(1, 12))
        elif kind == 4:
            source = chance.randrange(len(made))
            made[at:at] = made[source : source + chance.randint(1, 60)]
        else:
            made[at] ^= 1 << chance.randrange(8)
    return bytes(made)


def _zip_fields(chance: random.Random) -> bytes:
    """Write strange numbers into the headers of an archive."""
    made = bytearray(good()[0])
    places = []
    for signature, length in ((b"PK\3\4", 30), (b"PK\1\2", 46), (b"PK\5\6", 22)):
        at = made.find(signature)
        while at >= 0:
            places.append((at, length))
            at = made.find(signature, at + 1)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.choice(places)
        width = chance.choice((2, 4))
        field = at + chance.randrange(4, length - width)
        number = chance.choice((*NUMBERS, at, len(made), len(made) - at))
        made[field : field + width] = (number & (256**width - 1)).to_bytes(width, "little")
    return bytes(made)


def _zip_names(chance: random.Random) -> bytes:
    """Write an archive with strange, missing and double records."""
    content, storages = _records()
    stream = io.BytesIO()
    names = ["data.pkl", "version", "byteorder", ".format_version", ".storage_alignment", "constants.pkl"]
    how = zipfile.ZIP_STORED if chance.random() < 0.8 else zipfile.ZIP_DEFLATED
    with warnings.catch_warnings(), zipfile.ZipFile(stream, "w", how) as file:
        warnings.simplefilter("ignore")  # of records that are there twice
        for _ in range(chance.randint(1, 12)):
            folder = chance.choice(("archive", "archive", "archive", "a/b", "..", "/", "", "archive\0"))
            name = chance.choice((*names, *(f"data/{n[1:]}" for n in storages), "../x", "data/", "data.pkl/"))
            body = chance.choice((content, b"little", b"big", b"middle", b"", b"3\n", *storages.values()))
            entry = zipfile.ZipInfo(f"{folder}/{name}")
            entry.compress_type = how
            file.writestr(entry, body)
    return stream.getvalue()


def _instructions_changed(chance: random.Random) -> bytes:
    """Leave out, double, swap and replace instructions of a good pickle."""
    made = list(_instructions())
    for _ in range(chance.randint(1, 5)):
        at, other = chance.randrange(len(made)), chance.randrange(len(made))
        kind = chance.randrange(5)
        if kind == 0:
            del made[at]
        elif kind == 1:
            made[at] = made[other]
        elif kind == 2:
            made[at], made[other] = made[other], made[at]
        elif kind == 3:
            made.insert(at, bytes([chance.choice(b"012(Rbasu\x81Q.")]))
        else:
            made.insert(at, Grammar(chance).value(2))
    return b"".join(made)


class Grammar:
    """Pickles that are right as instructions, of what files may and may not hold."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.kept = 0

    def pickle(self) -> bytes:
        """Return one."""
        return chance_of(self.chance, (PROTO, b"\x80\x04", b"\x80\x05", b"")) + self.value(5) + b"."

    def value(self, depth: int) -> bytes:
        """Return instructions that push one value."""
        if depth <= 0:
            return self.simple()
        kinds: tuple[Callable[[int], bytes], ...] = (
            self._container, self._container, self._call, self._call, self._tensor, self._kept, self._name,
            self._built, lambda _: self.simple(), self._noise, self._stated,
        )  # fmt: skip
        return self.chance.choice(kinds)(depth - 1)

    def simple(self) -> bytes:
        """Push a value without parts."""
        chance = self.chance
        kinds = (
            b"N", b"\x88", b"\x89", b")", b"]", b"}", b"\x8f", pickles.number(chance.choice(NUMBERS)),
            pickles.text(chance.choice(NAMES)), b"G" + chance.randbytes(8), b"C\x02ab", b"U\x02ab",
            b"U\x01\xff", b"K" + chance.randbytes(1), b"\x8a\x14" + chance.randbytes(20),
        )  # fmt: skip
        return chance.choice(kinds)

    def _container(self, depth: int) -> bytes:
        chance = self.chance
        parts = [self.value(depth) for _ in range(chance.randrange(4))]
        kind = chance.randrange(6)
        if kind == 0:
            return b"(" + b"".join(parts) + b"t"
        if kind == 1:
            return b"](" + b"".join(parts) + b"e"
        if kind == 2:
            return b"}(" + b"".join(self.simple() + part for part in parts) + b"u"
        if kind == 3:
            return b"\x8f(" + b"".join(parts) + b"\x90"
        if kind == 4:
            return self.value(depth) + chance.choice((b"\x85", b"\x85" * 50))
        return self.value(depth) + self.value(depth) + b"\x86"

    def _name(self, depth: int) -> bytes:
        chance = self.chance
        module, name = chance.choice(HOSTILE if chance.random() < 0.25 else ALLOWED)
        if chance.random() < 0.6:
            return pickles.named(module, name)
        return pickles.text(module) + pickles.text(name) + b"\x93"

    def _call(self, depth: int) -> bytes:
        chance = self.chance
        arguments = b"(" + b"".join(self.value(depth) for _ in range(chance.randrange(5))) + b"t"
        return self._name(depth) + arguments + chance.choice((b"R", b"R", b"R", b"\x81"))

    def _kept(self, depth: int) -> bytes:
        if self.kept and self.chance.random() < 0.6:
            return b"h" + bytes([self.chance.randrange(self.kept)])
        made = self.value(depth)
        put = b"q" + bytes([self.kept % 256])
        self.kept = min(self.kept + 1, 255)
        return made + put

    def _noise(self, depth: int) -> bytes:
        more = self.value(depth)
        return self.value(depth) + self.chance.choice((b"20", more + b"0", b"(" + more + b"1"))

    def _built(self, depth: int) -> bytes:
        return self.value(depth) + self.state(depth) + b"b"

    def state(self, depth: int) -> bytes:
        """Push attributes."""
        names = [pickles.text(self.chance.choice(NAMES)) + self.value(depth - 1) for _ in range(2)]
        made = b"}(" + b"".join(names) + b"u"
        return self.chance.choice((made, made + b"N\x86", b"N" + made + b"\x86", self.value(depth)))

    def _stated(self, depth: int) -> bytes:
        return pickles.with_state(self.state(depth))

    def _tensor(self, depth: int) -> bytes:
        return placed(self.chance)


def chance_of(chance: random.Random, choices: tuple[bytes, ...]) -> bytes:
    """Return the first choice most of the time."""
    return choices[0] if chance.random() < 0.7 else chance.choice(choices)


def _numbers(chance: random.Random) -> tuple[int, ...]:
    small = chance.random() < 0.6
    rank = chance.choice((0, 1, 1, 2, 3, 65))
    return tuple(chance.choice(NUMBERS[:6] if small else NUMBERS) for _ in range(rank))


def placed(chance: random.Random) -> bytes:
    """Push a tensor in a strange place of the storage, which has 2 floats."""
    size, stride = _numbers(chance), _numbers(chance)
    if chance.random() < 0.8:
        stride = tuple((*stride, *(1,) * len(size))[: len(size)])
    count = chance.choice((2, 2, 2, 1, 0, 8, *NUMBERS))
    offset = chance.choice((0, 0, 0, 1, *NUMBERS))
    kind = chance.choice(("FloatStorage", "UntypedStorage", "DoubleStorage", "BFloat16Storage"))
    storage = pickles.storage(chance.choice("0000012"), count, kind)
    place = pickles.number(offset) + pickles.numbers(size) + pickles.numbers(stride)
    hooks = pickles.named("collections", "OrderedDict") + b")R"
    form = chance.randrange(5)
    if form == 0:
        return pickles.named("torch._utils", "_rebuild_tensor") + b"(" + storage + place + b"tR"
    if form == 1:
        dtype = pickles.named("torch", chance.choice(("float32", "complex128", "uint8", "bool", "half")))
        flags = chance.choice((b"\x88", b"\x89")) + hooks + dtype
        return pickles.named("torch._utils", "_rebuild_tensor_v3") + b"(" + storage + place + flags + b"tR"
    if form == 2:
        dtype = pickles.named("torch", "float32")
        rebuild = pickles.named("torch._utils", "_rebuild_meta_tensor_no_storage")
        return rebuild + b"(" + dtype + pickles.numbers(size) + pickles.numbers(stride) + b"\x89tR"
    if form == 3:
        name = chance.choice(("torch.sparse_coo", "torch.sparse_csr", "torch.sparse_bsc", "torch.strided"))
        layout = pickles.named("torch.serialization", "_get_layout") + pickles.text(name) + b"\x85R"
        parts = b""
        for _ in range(chance.choice((2, 2, 3))):
            kind, lies = chance.choice(("FloatStorage", "IntStorage")), _numbers(chance)[:2] or (2,)
            parts += pickles.tensor(kind=kind, size=lies, stride=(0, 1)[: len(lies)])
        parts += pickles.numbers(size) + chance.choice((b"", b"\x88", b"\x89"))
        return pickles.named("torch._utils", "_rebuild_sparse_tensor") + layout + b"(" + parts + b"t\x86R"
    bits = chance.choice((b"", b"}" + pickles.text("conj") + b"\x88s", b"}" + pickles.text("neg") + b"\x88s"))
    flags = chance.choice((b"\x88", b"\x89")) + hooks + bits
    return pickles.named("torch._utils", "_rebuild_tensor_v2") + b"(" + storage + place + flags + b"tR"


# --- whole files --------------------------------------------------------------------------------------------


def _around(content: bytes) -> bytes:
    return pickles.archive(content, None, **_records()[1])


def _whole(content: bytes) -> bytes:
    return pickles.archive(content, s0=struct.pack("<2f", 1, 2), s1=b"", s2=bytes(64))


def _row(chance: random.Random, content: bytes) -> bytes:
    """Return a row of pickles around one."""
    head = [pickle.dumps(part, 2) for part in (MAGIC, VERSION, {"little_endian": True})]
    if chance.random() < 0.3:
        at = chance.randrange(3)
        head[at] = Grammar(chance).pickle()
    keys = pickle.dumps(chance.choice((["0"], [], ["0", "0"], ["1"], "0", [0], {"0": 1})), 2)
    body = struct.pack("<q", chance.choice((2, *NUMBERS))) + struct.pack("<2f", 1, 2)
    # References have one part more in this format: what the view is.
    return b"".join(head) + content.replace(b"tQ", chance_of(chance, (b"NtQ", b"tQ"))) + keys + body


def _header(chance: random.Random) -> bytes:
    """Return a file of the safetensors library with a strange header."""

    def number() -> Any:
        return chance.choice((0, 4, 8, 16, *NUMBERS, 1.5, "1", None))

    header: dict[str, Any] = {}
    for name in ("a", "b", "__metadata__", "é")[: chance.randint(1, 4)]:
        header[name] = {
            "dtype": chance.choice(("F32", "F32", "F32", "BF16", "I64", "F8_E4M3", "X", 3)),
            "shape": [number() for _ in range(chance.randrange(4))] if chance.random() < 0.5 else [2],
            "data_offsets": [number(), number()] if chance.random() < 0.5 else [0, 8],
        }
        if chance.random() < 0.2:
            header[name].pop(chance.choice(("dtype", "shape", "data_offsets")))
    text = json.dumps(header).encode()
    if chance.random() < 0.3:
        text = text[:-1] + b', "a": ' + json.dumps(header["a"]).replace("8", "4").encode() + b"}"
    if chance.random() < 0.3:
        text = _changed(chance, text)
    length = len(text) if chance.random() < 0.8 else chance.choice(NUMBERS) & (2**64 - 1)
    return length.to_bytes(8, "little") + text + bytes(16)


def file(seed: int, number: int) -> tuple[str, bytes]:
    """Return what kind a file is of, and its bytes."""
    chance = random.Random(f"{seed} {number}")
    kinds: tuple[tuple[str, Callable[[], bytes]], ...] = (
        ("bytes of an archive", lambda: _changed(chance, good()[0])),
        ("fields of an archive", lambda: _zip_fields(chance)),
        ("records of an archive", lambda: _zip_names(chance)),
        ("bytes of a pickle", lambda: _around(_changed(chance, _records()[0]))),
        ("instructions of a pickle", lambda: _around(_instructions_changed(chance))),
        ("a pickle by grammar", lambda: _whole(Grammar(chance).pickle())),
        ("a pickle by grammar", lambda: _whole(Grammar(chance).pickle())),
        ("a changed pickle by grammar", lambda: _whole(_changed(chance, Grammar(chance).pickle()))),
        ("places of tensors", lambda: _whole(PROTO + placed(chance) + b".")),
        ("bytes of a row", lambda: _changed(chance, good()[1])),
        ("a row by grammar", lambda: _row(chance, Grammar(chance).pickle())),
        ("places of tensors in a row", lambda: _row(chance, PROTO + placed(chance) + b".")),
        # The library is an extra: without it there is nothing to attack.
        *([("a header of safetensors", lambda: _header(chance))] if find_spec("safetensors") else []),
    )  # fmt: skip
    name, make = kinds[number % len(kinds)]
    return name, make()
