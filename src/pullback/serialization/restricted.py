"""Define an unpickler that can run nothing: it makes the values of weights and refuses all else.

It knows the instructions that `pickle` writes for protocols 2 to 5 for containers, numbers, text, references
and calls. A name must be allowed (`allowed.py`); a call must be of an allowed thing. What an instruction asks
for is bounded by the bytes there are: lengths are compared with what is left, the memo is a dict, so that no
number in the file can make an allocation, and what calls copy is counted, so that they cannot copy one text
of the file a million times. Keys are looked at before they are hashed: Python hashes a deep tuple on the C
stack.
"""

import pickle
import struct
import types
from collections import Counter, OrderedDict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from ..core.device import device
from ..core.size import Size
from ..core.value import TensorBase
from ..nn.parameter import Parameter
from ..tensor.serialization import could_be_set, is_dunder
from ..tensor.tensor import Tensor
from .allowed import allowed, is_allowed, user_allowed

#: Modules that no one may allow names of.
BLOCKED = frozenset(("sys", "os", "posix", "nt"))

#: Names as Python 2 wrote them in protocol 2, where the module is another now.
RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg"}

#: Containers into which items may be put, by exact class.
_MAPPINGS = (dict, OrderedDict, Counter)

#: Classes whose instances may be made without their constructor.
_MADE = (Parameter, OrderedDict, Counter, Size, device, Tensor)

#: What the arguments of an allowed class may be: nothing that it could iterate over for longer than the file
#: is, such as an expanded tensor.
_TAKES: dict[Any, tuple[type, ...]] = {
    set: (list, tuple), Counter: (list, tuple, dict), OrderedDict: (list, tuple, dict), Size: (list, tuple),
    complex: (int, float), device: (str, int), Tensor: (),
}  # fmt: skip

#: Containers that hash what they are made of.
_HASHING = (set, Counter, OrderedDict)

#: A key may have this many parts, those of its parts included.
_PARTS = 1000

#: All calls together may copy this many times the bytes of the pickle, and as much again as is small.
_COPIES, _SMALL = 16, 1 << 16

#: What goes wrong in a call when a file gives it arguments that do not fit.
_MISFITS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NotImplementedError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip


class Reader:
    """The bytes of a pickle, taken from the front."""

    def __init__(self, content: bytes) -> None:
        self._bytes = content
        self._content = memoryview(content)
        self.place = 0

    def take(self, count: int) -> memoryview:
        """Return the next `count` bytes."""
        if (end := self.place + count) > len(self._content):
            raise UnpicklingError("pickle data was truncated")
        part = self._content[self.place : end]
        self.place = end
        return part

    def number(self, count: int, signed: bool = False) -> int:
        """Return a little-endian integer of `count` bytes."""
        return int.from_bytes(self.take(count), "little", signed=signed)

    def line(self) -> str:
        """Return the text up to the next newline."""
        if (end := self._bytes.find(b"\n", self.place)) < 0:
            raise UnpicklingError("pickle data was truncated")
        text = bytes(self._content[self.place : end])
        self.place = end + 1
        return _decoded(text)


def _decoded(content: bytes | memoryview) -> str:
    try:
        return str(content, "utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise UnpicklingError(f"text in the pickle is not UTF-8: {error}") from None


def shown(value: Any) -> str:
    """Return the text of a file's value for a message: its class if the text could be long or costly."""
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, float, type(None))):
        return str(value)
    if (type(value) is int and value.bit_length() < 99) or (type(value) is str and len(value) < 99):
        return str(value)
    return str(type(value))


def _refused(module: str, name: str) -> UnpicklingError:
    full = name if module == "builtins" else f"{module}.{name}"
    return UnpicklingError(
        f"Unsupported global: GLOBAL {full} was not an allowed global by default. Please use "
        f"`torch.serialization.add_safe_globals([{full}])` or the "
        f"`torch.serialization.safe_globals([{full}])` context manager to allowlist this global if you trust "
        "this class/function."
    )


class Unpickler:
    """Run a pickle's instructions with allowed names only.

    `reference` tells what a reference to a storage stands for. The pickle begins at `place` in `content`;
    after `load`, `reader.place` is behind its end. `encoding` is of strings that Python 2 wrote; "bytes"
    leaves them.
    """

    def __init__(
        self, content: bytes, reference: Callable[[tuple[Any, ...]], Any], place: int = 0,
        encoding: str = "utf-8",
    ) -> None:  # fmt: skip
        self.steps = STEPS
        self.reader = Reader(content)
        self.reader.place = place
        self.reference = reference
        self.encoding = encoding
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}
        self._left = _COPIES * len(content) + _SMALL

    def load(self) -> Any:
        """Return the object that the pickle describes; UnpicklingError for whatever is wrong with it."""
        try:
            while True:
                if (code := bytes(self.reader.take(1))) == pickle.STOP:
                    return self._pop()
                if (step := self.steps.get(code)) is None:
                    raise UnpicklingError(f"Unsupported operand {code[0]}")
                step(self)
        except (KeyError, IndexError) as error:
            raise UnpicklingError(f"the pickle refers to what is not there: {error}") from None
        except (MemoryError, RecursionError) as error:
            raise UnpicklingError(f"the pickle asks for too much: {type(error).__name__}") from None

    # --- the stack ------------------------------------------------------------------------------------------

    def _pop(self) -> Any:
        if not self.stack:
            raise UnpicklingError("the pickle takes more from its stack than it put there")
        return self.stack.pop()

    def _top(self) -> Any:
        if not self.stack:
            raise UnpicklingError("the pickle looks at an empty stack")
        return self.stack[-1]

    def _popped_mark(self) -> list[Any]:
        if not self.marks:
            raise UnpicklingError("the pickle has no mark where it needs one")
        items = self.stack
        self.stack = self.marks.pop()
        return items

    def mark(self) -> None:
        """Begin a group of values."""
        self.marks.append(self.stack)
        self.stack = []

    # --- values ---------------------------------------------------------------------------------------------

    def text(self, width: int) -> None:
        """Read text after its length."""
        self.stack.append(_decoded(self.reader.take(self.reader.number(width))))

    def bytes(self, width: int) -> None:
        """Read bytes after their length."""
        self.stack.append(bytes(self.reader.take(self.reader.number(width))))

    def old_string(self, width: int) -> None:
        """Read a string of Python 2 after its length."""
        content = bytes(self.reader.take(self.reader.number(width)))
        try:
            self.stack.append(content if self.encoding == "bytes" else content.decode(self.encoding))
        except UnicodeDecodeError as error:
            raise UnpicklingError(str(error)) from None

    def long(self, width: int) -> None:
        """Read an integer after the length of its bytes."""
        self.stack.append(self.reader.number(self.reader.number(width), signed=True))

    def tuple_of(self, count: int) -> None:
        """Make a tuple of the last values."""
        items = [self._pop() for _ in range(count)]
        self.stack.append(tuple(reversed(items)))

    def group(self, kind: Callable[[list[Any]], Any]) -> None:
        """Make a tuple or list of the marked values."""
        items = self._popped_mark()
        self.stack.append(kind(items))

    def append_item(self) -> None:
        """Put the last value into the list before it."""
        item = self._pop()
        self._list("append to").append(item)

    def append_items(self) -> None:
        """Put the marked values into the list before them."""
        items = self._popped_mark()
        self._list("extend").extend(items)

    def _list(self, verb: str) -> list[Any]:
        if type(target := self._top()) is not list:
            raise UnpicklingError(f"Can only {verb} lists, but got {type(target)}")
        return target

    def set_item(self) -> None:
        """Put a key and a value into the mapping before them."""
        value, key = self._pop(), self._pop()
        self._set([key, value], "SETITEM")

    def set_items(self) -> None:
        """Put the marked keys and values into the mapping before them."""
        self._set(self._popped_mark(), "SETITEMS")

    def _set(self, items: list[Any], code: str) -> None:
        if type(target := self._top()) not in _MAPPINGS:
            raise UnpicklingError(
                f"Can only {code} for dict, collections.OrderedDict, collections.Counter, but got "
                f"{type(target)}"
            )
        if len(items) % 2:
            raise UnpicklingError("a key in the pickle has no value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[key_of(key)] = value

    def add_items(self) -> None:
        """Put the marked values into the set before them."""
        items = self._popped_mark()
        if type(target := self._top()) is not set:
            raise UnpicklingError(f"Can only add to sets, but got {type(target)}")
        target.update(map(key_of, items))

    # --- the memo -------------------------------------------------------------------------------------------

    def put(self, number: int) -> None:
        """Remember the last value under a number."""
        self.memo[number] = self._top()

    def get(self, number: int) -> None:
        """Push the value remembered under a number."""
        if number not in self.memo:
            raise UnpicklingError(f"Memo value not found at index {number}")
        self.stack.append(self.memo[number])

    # --- names and calls ------------------------------------------------------------------------------------

    def name(self, module: Any, name: Any) -> None:
        """Return what an allowed name stands for."""
        if not isinstance(module, str) or not isinstance(name, str):
            raise UnpicklingError("a name in the pickle is not text")
        module = RENAMED.get(module, module)
        if module.split(".")[0] in BLOCKED:
            raise UnpicklingError(
                f"Trying to load unsupported GLOBAL {module}.{name} whose module {module} is blocked."
            )
        if (found := allowed(module, name)) is None:
            raise _refused(module, name)
        self.stack.append(found)

    def reduce(self) -> None:
        """Call an allowed function with a tuple of arguments."""
        args, function = self._pop(), self._pop()
        if not is_allowed(function):
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {shown(function)}")
        self._call(function, args)

    def _call(self, function: Any, args: Any) -> None:
        if type(args) is not tuple:
            raise UnpicklingError(f"a call in the pickle needs a tuple of arguments, not {type(args)}")
        self._left -= sum(len(arg) for arg in args if isinstance(arg, (str, bytes, list, tuple, dict)))
        if self._left < 0:
            raise UnpicklingError("the calls in the pickle copy more than there is in it")
        for known, kinds in _TAKES.items():
            if function is known:
                _check_arguments(function, args, kinds)
        self.stack.append(_tried(function, args))

    def new_object(self) -> None:
        """Make an instance of an allowed class without its constructor."""
        args, cls = self._pop(), self._pop()
        if any(cls is known for known in _MADE):
            self._call(cls, args)
        elif isinstance(cls, type) and user_allowed(cls) and type(args) is tuple:
            self.stack.append(_tried(cls.__new__, (cls, *args)))
        else:
            raise UnpicklingError(
                "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` "
                f"but got {shown(cls)}"
            )

    def build(self) -> None:
        """Give the last value its attributes."""
        state = self._pop()
        if type(target := self._top()) is OrderedDict and isinstance(state, dict):
            _set_attributes(target, state)
        elif user_allowed(type(target)):
            own = getattr(target, "__setstate__", None)
            _tried(_set_state if own is None else own, (target, state) if own is None else (state,))
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, "
                f"but got {type(target)}"
            )

    def persistent(self) -> None:
        """Make a reference to a storage."""
        if type(reference := self._pop()) is not tuple or not reference:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(reference)}")
        if reference[0] not in ("storage", b"storage"):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(reference[0])}")
        self.stack.append(self.reference(reference))


def key_of(value: Any) -> Any:
    """Return a key as it is, if it can be hashed and is not too deep or long for that."""
    if type(value) is str:
        return value
    count, pending = 0, [value]
    while pending:
        if isinstance((part := pending.pop()), tuple):
            count += len(part)
            if count > _PARTS:
                raise UnpicklingError(f"a key in the pickle is a tuple of more than {_PARTS} parts")
            pending.extend(part)
    try:
        hash(value)
    except TypeError as error:
        raise UnpicklingError(f"a key in the pickle cannot be one: {error}") from None
    return value


def _check_arguments(cls: Any, args: tuple[Any, ...], kinds: tuple[type, ...]) -> None:
    for arg in args:
        if type(arg) not in kinds or (type(arg) is int and arg.bit_length() > 64):
            raise UnpicklingError(f"{cls.__name__}: a checkpoint may not make one of {type(arg)}")
        if cls in _HASHING and type(arg) is not dict:
            for item in arg:
                pair = cls is OrderedDict and type(item) in (list, tuple) and len(item) == 2
                key_of(item[0] if pair else item)


def _tried(function: Any, args: tuple[Any, ...]) -> Any:
    try:
        return function(*args)
    except _MISFITS as error:
        raise UnpicklingError(f"{getattr(function, '__name__', function)}: {error}") from error


def _set_attributes(target: Any, attributes: Any) -> None:
    if not isinstance(attributes, dict):
        raise UnpicklingError(f"the attributes of an object in the pickle are a dict, not {type(attributes)}")
    for name in attributes:
        good = type(name) is str and not is_dunder(name)
        if not good or (isinstance(target, TensorBase) and not could_be_set(target, name)):
            raise UnpicklingError(f"the pickle cannot set the attribute {shown(name)} of {type(target)}")
    target.__dict__.update(attributes)


def _set_state(target: Any, state: Any) -> None:
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    _set_attributes(target, attributes or {})
    for name, value in (slots or {}).items():
        if isinstance(target, TensorBase) and not could_be_set(target, name):
            raise UnpicklingError(f"the pickle cannot set the attribute {shown(name)} of {type(target)}")
        setattr(target, name, value)


def _pushes(make: Callable[[], Any]) -> Callable[[Unpickler], None]:
    return lambda machine: machine.stack.append(make())


def _protocol(machine: Unpickler) -> None:
    if (version := machine.reader.number(1)) > pickle.HIGHEST_PROTOCOL:
        raise UnpicklingError(f"unsupported pickle protocol: {version}")


STEPS: dict[bytes, Callable[[Unpickler], Any]] = {
    pickle.PROTO: _protocol, pickle.FRAME: lambda m: m.reader.take(8),
    pickle.MARK: lambda m: m.mark(),
    pickle.POP: lambda m: m._pop() if m.stack else m._popped_mark(),
    pickle.POP_MARK: lambda m: m._popped_mark(),
    pickle.DUP: lambda m: m.stack.append(m._top()),
    pickle.NONE: _pushes(lambda: None), pickle.NEWTRUE: _pushes(lambda: True),
    pickle.NEWFALSE: _pushes(lambda: False),
    pickle.BININT: lambda m: m.stack.append(m.reader.number(4, signed=True)),
    pickle.BININT1: lambda m: m.stack.append(m.reader.number(1)),
    pickle.BININT2: lambda m: m.stack.append(m.reader.number(2)),
    pickle.LONG1: lambda m: m.long(1), pickle.LONG4: lambda m: m.long(4),
    pickle.BINFLOAT: lambda m: m.stack.append(struct.unpack(">d", m.reader.take(8))[0]),
    pickle.SHORT_BINUNICODE: lambda m: m.text(1), pickle.BINUNICODE: lambda m: m.text(4),
    pickle.BINUNICODE8: lambda m: m.text(8),
    pickle.SHORT_BINBYTES: lambda m: m.bytes(1), pickle.BINBYTES: lambda m: m.bytes(4),
    pickle.BINBYTES8: lambda m: m.bytes(8),
    pickle.SHORT_BINSTRING: lambda m: m.old_string(1), pickle.BINSTRING: lambda m: m.old_string(4),
    pickle.EMPTY_TUPLE: _pushes(tuple), pickle.EMPTY_LIST: _pushes(list), pickle.EMPTY_DICT: _pushes(dict),
    pickle.EMPTY_SET: _pushes(set),
    pickle.TUPLE: lambda m: m.group(tuple), pickle.LIST: lambda m: m.group(list),
    pickle.TUPLE1: lambda m: m.tuple_of(1), pickle.TUPLE2: lambda m: m.tuple_of(2),
    pickle.TUPLE3: lambda m: m.tuple_of(3),
    pickle.APPEND: lambda m: m.append_item(), pickle.APPENDS: lambda m: m.append_items(),
    pickle.SETITEM: lambda m: m.set_item(), pickle.SETITEMS: lambda m: m.set_items(),
    pickle.ADDITEMS: lambda m: m.add_items(),
    pickle.BINPUT: lambda m: m.put(m.reader.number(1)),
    pickle.LONG_BINPUT: lambda m: m.put(m.reader.number(4)),
    pickle.MEMOIZE: lambda m: m.put(len(m.memo)),
    pickle.BINGET: lambda m: m.get(m.reader.number(1)),
    pickle.LONG_BINGET: lambda m: m.get(m.reader.number(4)),
    pickle.GLOBAL: lambda m: m.name(m.reader.line(), m.reader.line()),
    pickle.STACK_GLOBAL: lambda m: m.name(*reversed((m._pop(), m._pop()))),
    pickle.REDUCE: lambda m: m.reduce(), pickle.NEWOBJ: lambda m: m.new_object(),
    pickle.BUILD: lambda m: m.build(), pickle.BINPERSID: lambda m: m.persistent(),
}  # fmt: skip
