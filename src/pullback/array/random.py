"""The state machine behind every random draw: torch's CPU generator, bit for bit.

What this module must do:

- give the 32-bit outputs of MT19937 in torch's order, in bulk, without a Python loop per element;
- export and import the 5056-byte state of ``torch.get_rng_state()``, byte for byte, at every position of
  the stream, with the cached second value of the scalar normal path;
- refuse bad seeds and states with torch's errors.

MT19937 supplies the outputs a block of 624 at a time. The generator below keeps the window of words that is
being consumed, so a small draw is a slice: some words left of the window before, then a block, or several
where that costs little. The state array that torch exports is a block's words, their tempering undone.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, Self

import numpy as np

from . import locks
from .tiering import Hotness

STATE_WORDS = 624
DEFAULT_SEED = 67280421310721

#: Words up to which a draw is small: what is made of them is made for the rest of the window at once. So 512
#: uniform numbers take 8 µs and 2,048 14, instead of 14 and 25.
SMALL = 4 * STATE_WORDS
#: Blocks made together at most. Of native code one takes 4.0 µs and four 5.2, nearly all of it the call's.
_TOGETHER = 16
SEEDS = 2**64

# torch's state tensor: the seed, the words left in the block plus one, "seeded", the next word's index, the
# words (widened to 64 bits), three normal values of which only the second one still has a meaning, and a
# float32 normal value, which CPU kernels keep but do not use.
STATE = np.dtype({
    "names": [
        "seed", "left", "seeded", "next", "words", "normal", "has_normal", "float_normal", "has_float_normal",
    ],
    "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", STATE_WORDS), "<f8", "<i4", "<f4", "?"],
    "offsets": [0, 8, 12, 16, 24, 5024, 5040, 5048, 5052],
    "itemsize": 5056,
})

_HEAP_TYPE = 1 << 9

#: What a word costs by NumPy's generator, and without: 16 to 27 µs a block.
NANOSECONDS, SLOW_NANOSECONDS = 5, 30
_HOTNESS = Hotness()


class Generator:
    """A stream of random numbers, as ``torch.Generator`` on a CPU.

    Parameters
    ----------
    device : object
        What ``device`` reads back; this class makes nothing of it.

    Attributes
    ----------
    lock : Lock
        Held by every kernel for as long as it draws.
    next_normal : float or None
        The second value of the last pair that the scalar normal path made, in double precision.
    ahead : object
        What a kernel made of words that nobody has drawn yet, with these words (`random_normal`).
    """

    __slots__ = (
        "__weakref__", "_begin", "_blocks", "_end", "_float_normal", "_made", "_next", "_seed", "_singly",
        "_source", "_window", "ahead", "device", "lock", "next_normal",
    )  # fmt: skip

    def __init__(self, device: object = "cpu") -> None:
        self.device = device
        self.ahead: Any = None
        self.lock = locks.lock()
        self._source: _Source | None = None
        self._reset(DEFAULT_SEED)

    def _reset(self, seed: int) -> None:
        self._seed = seed
        self._made: dict[Callable[..., np.ndarray], tuple[int, np.ndarray]] = {}
        #: Where in the window the doubles begin that are taken one by one, and these.
        self._singly: tuple[int, list[float]] = 0, []
        #: Where the window's first block begins, which word is next, and how many blocks come next.
        self._window, self._begin, self._next, self._end, self._blocks = _NO_WORDS, 0, 0, 0, 1
        self.next_normal: float | None = None
        self._float_normal: float | None = None
        if self._source is not None:
            self._source.seed(seed)

    # --- seeds ------------------------------------------------------------------------------------

    def manual_seed(self, seed: int, /) -> Self:
        """Start the stream that belongs to ``seed``, an integer in [-2⁶³, 2⁶⁴), and return the generator."""
        number = check_seed(seed)
        with self.lock:
            self._reset(number)
        return self

    def seed(self) -> int:
        """Start a stream that nobody can foretell and return its 64-bit seed."""
        number = int.from_bytes(os.urandom(8), "little")
        with self.lock:
            self._reset(number)
        return number

    def initial_seed(self) -> int:
        return self._seed

    def get_offset(self) -> int:
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int, /) -> None:
        raise RuntimeError("CPU Generator does not use offset")

    # --- the state as bytes -----------------------------------------------------------------------

    def get_state(self) -> np.ndarray:
        """Return the state as 5056 bytes (a uint8 array) that torch's ``set_rng_state`` accepts."""
        with self.lock:
            state = np.zeros((), STATE)
            state["seed"] = self._seed
            begin = self._begin + max(0, self._next - self._begin - 1) // STATE_WORDS * STATE_WORDS
            end = min(self._end, begin + STATE_WORDS)
            state["left"] = end - self._next + 1
            state["seeded"] = 1
            state["next"] = self._next - begin
            if end < self._end:
                state["words"] = untemper(self._window[begin:end])
            else:
                # Whether a trace draws is asked of programs that never do: no source is made for it.
                state["words"] = _first_key(self._seed) if self._source is None else self._source.key()
            if self.next_normal is not None:
                state["normal"], state["has_normal"] = self.next_normal, 1
            if self._float_normal is not None:
                state["float_normal"], state["has_float_normal"] = self._float_normal, True
        return state.reshape(1).view(np.uint8)

    def set_state(self, new_state: np.ndarray, /) -> Self:
        """Continue from ``new_state``, 5056 bytes as this class or torch's ``get_rng_state`` wrote them."""
        if not isinstance(new_state, np.ndarray):
            raise TypeError(f"expected a torch.ByteTensor, but got {c_type_name(new_state)}")
        if new_state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not new_state.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        if new_state.size != STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE.itemsize} but found the input RNG state "
                f"size to be {new_state.size}"
            )
        state = np.frombuffer(new_state.tobytes(), STATE)[0]
        left, position = int(state["left"]), int(state["next"])
        if not state["seeded"] or not 0 < left <= STATE_WORDS or position > STATE_WORDS:
            raise RuntimeError("Invalid mt19937 state")
        key = state["words"].astype(np.uint32)
        with self.lock:
            self._words().set_key(key)
            self._seed = int(state["seed"])
            self._open(temper(key), 0, position)
            self._end, self._blocks = min(position + left - 1, STATE_WORDS), 1
            self.next_normal = float(state["normal"]) if state["has_normal"] else None
            self._float_normal = float(state["float_normal"]) if state["has_float_normal"] else None
        return self

    def mark(self) -> tuple[Any, ...]:
        """Return where the stream stands, for `return_to`: a tenth of the time that `get_state` takes."""
        with self.lock:
            key = None if self._source is None else self._source.key().copy()
            return (
                key, self._seed, self._window, self._made, self._next, self._end, self._begin, self._blocks,
                self.next_normal, self._float_normal,
            )  # fmt: skip

    def return_to(self, mark: tuple[Any, ...]) -> None:
        """Continue where the stream stood when `mark` was called."""
        key, *state = mark
        with self.lock:
            if key is not None:
                self._words().set_key(key)
            elif self._source is not None:
                self._source.seed(state[0])
            self._singly = 0, []
            (
                self._seed, self._window, self._made, self._next, self._end, self._begin, self._blocks,
                self.next_normal, self._float_normal,
            ) = state  # fmt: skip

    def clone_state(self) -> Self:
        """Return a new generator that continues independently from the same state."""
        return type(self)(self.device).set_state(self.get_state())

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[object], np.ndarray]:
        return type(self), (self.device,), self.get_state()

    def __setstate__(self, state: np.ndarray) -> None:
        self.set_state(state)

    # --- drawing ----------------------------------------------------------------------------------

    def _words(self) -> _Source:
        if self._source is None:
            self._source = _Source(self._seed)
        return self._source

    def _open(self, window: np.ndarray, begin: int, place: int) -> None:
        self._window, self._begin, self._next, self._end = window, begin, place, window.size
        self._made, self._singly = {}, (0, [])

    def words(self, count: int) -> np.ndarray:
        """Return the next ``count`` 32-bit outputs (uint32, for reading only). The caller holds ``lock``."""
        start = self._next
        if (stop := start + count) <= self._end:
            self._next = stop
            return self._window[start:stop]
        rest, source = self._window[start : self._end], self._words()
        missing = count - rest.size
        blocks = max(self._blocks, -(-missing // STATE_WORDS))
        fresh = source.blocks(blocks)
        if source.is_fast:
            self._blocks = min(2 * self._blocks, _TOGETHER)
        joined = np.concatenate((rest, fresh)) if rest.size else fresh
        if blocks <= _TOGETHER:
            self._open(joined, rest.size, count)
        else:  # a view would keep the whole draw alive
            self._open(fresh[-STATE_WORDS:].copy(), 0, missing - (blocks - 1) * STATE_WORDS)
        return joined[:count]

    def to_end_of_block(self, least: int) -> np.ndarray:
        """Return words up to the end of the window, as `words` does, or of a block: no more blocks than so
        many words take, but one at least, of which `give_back` takes what is not used.
        """
        rest = self._end - self._next or STATE_WORDS
        return self.words(rest + max(0, least - rest) // STATE_WORDS * STATE_WORDS)

    def give_back(self, count: int) -> None:
        """Have the last so many words, of one window, drawn again. The caller holds ``lock``."""
        self._next -= count

    def place(self) -> tuple[int, int]:
        """Return what tells whether something was drawn since: the window's identity and the next word."""
        return id(self._window), self._next

    def coming(self, count: int) -> np.ndarray:
        """Return the words that `words` will give, which are still to be drawn. The caller holds ``lock``."""
        source = self._words()
        kept = self._made, self._singly, self._window, self._begin, self._next, self._end, self._blocks
        key = source.key().copy()
        found = self.words(count)
        source.set_key(key)
        self._made, self._singly, self._window, self._begin, self._next, self._end, self._blocks = kept
        return found

    def made(
        self, make: Callable[[np.ndarray], np.ndarray], count: int, together: int = 1, each: int = 1
    ) -> np.ndarray:
        """Return what `make` makes of the next `count` words, for reading only. The caller holds ``lock``.

        Small draws that follow one another in a window share one call, as most of its time goes to starting
        NumPy's loops: the numbers of 32 words take 0.6 µs instead of 2. Of numbers that lie otherwise between
        draws of another kind a block's are made, or what is asked for, for it may come to that again.

        What it makes of `together` words, which divides `count`, does not depend on the words around them;
        `each` is how many words make one number.
        """
        start = self._next
        if (stop := start + count) > self._end or count > SMALL:
            is_first = self._blocks == 1  # perhaps the only draw of a stream
            words = self.words(count)
            if is_first or count > SMALL:
                return make(words)
            start, stop = 0, count  # of a new window
        first, numbers = self._made.get(make, (-1, _NO_WORDS))
        at = start - first
        if at < 0 or at % together or (at + count) // each > numbers.size:
            rest = self._end - start if first < 0 else min(self._end - start, max(count, STATE_WORDS))
            first, at, numbers = start, 0, make(self._window[start : start + rest - rest % together])
            numbers.flags.writeable = False
            self._made[make] = first, numbers
        self._next = stop
        return numbers[at // each : (at + count) // each]

    def double(self) -> float:
        """Return one number in [0, 1) with 53 random bits. The caller holds ``lock``."""
        high, low = self.words(2).tolist()
        return ((high & 0x1FFFFF) << 32 | low) * 2.0**-53

    def doubles(self) -> Iterator[float]:
        """Yield what `double` returns, as long as the caller holds ``lock``: several times faster one by one.

        The stream stands after the last number that was taken.
        """
        while True:
            start, rest = self._next, self._end - self._next >> 1
            if not rest:
                yield self.double()
                continue
            first, numbers = self._singly
            if first > start or (start - first) % 2 or start - first >= 2 * len(numbers):
                pairs = self._window[start : start + min(2 * rest, STATE_WORDS)].astype(np.uint64)
                numbers = (((pairs[::2] & 0x1FFFFF) << 32 | pairs[1::2]) * 2.0**-53).tolist()
                first = start
                self._singly = first, numbers
            for number in islice(numbers, start - first >> 1, None):
                self._next = start = start + 2
                yield number


class _NoSeeds:
    """Stand in place of NumPy's seed sequence, whose hashing takes 200 of the 210 µs that a new
    MT19937 takes: the seed comes right after.
    """

    def generate_state(self, n_words: int, dtype: object = None) -> list[int]:
        return [0] * n_words


class _Source:
    """MT19937, always standing at the end of a block of 624 outputs: NumPy's, once its import pays.

    `numpy.random` loads OpenSSL: 14 ms and 6 MB, while most programs draw few parameters and no more, or soon
    draw by native code.
    """

    __slots__ = ("_bits", "_draw", "_fill", "_legacy", "_state")
    #: Blocks until the import would have paid: a block takes 16 to 27 µs without it, and 4 with it.
    left = 700

    def __init__(self, seed: int) -> None:
        self._draw: Callable[[int], np.ndarray] | None = None
        self._fill: Callable[[np.ndarray, np.ndarray], None] | None = None
        self._state: np.ndarray | None = np.empty(STATE_WORDS, np.uint32)
        self.seed(seed)

    def _numpys(self, blocks: int) -> Callable[[int], np.ndarray] | None:
        """Return NumPy's method that draws; None where its import would not pay for so many blocks more."""
        if self._draw is None:
            _Source.left -= blocks
            if _Source.left >= 0:
                return None
            from numpy.random import MT19937, RandomState
            from numpy.random.bit_generator import ISeedSequence

            ISeedSequence.register(_NoSeeds)
            self._bits = MT19937(_NoSeeds())  # type: ignore[arg-type]  # registered, which mypy does not see
            locks.held(self._bits.lock)
            self._legacy = RandomState(self._bits)  # the public way to seed by the reference algorithm
            self._legacy.seed(0)  # it stands at a block's end
            key, self._state = self._state, _state_of(self._bits)
            assert key is not None  # the one made in `__init__`
            self.set_key(key)
            self._draw = self._bits.random_raw
        return self._draw

    @property
    def is_fast(self) -> bool:
        """Tell whether several blocks take little longer than one."""
        return self._fill is not None or self._draw is not None

    def seed(self, seed: int) -> None:
        if self._numpys(6):  # `_first_key` takes 140 µs
            self._legacy.seed(seed & 0xFFFFFFFF)
        else:
            self.set_key(_first_key(seed))

    def blocks(self, count: int) -> np.ndarray:
        each = SLOW_NANOSECONDS if self._draw is None else NANOSECONDS
        if self._state is not None and _HOTNESS.is_hot(count * STATE_WORDS * each):
            if self._fill is None:
                self._fill = _HOTNESS.ask("words")
            if self._fill is not None:
                words = np.empty(count * STATE_WORDS, np.uint32)
                self._fill(self._state, words)
                return words
        if draw := self._numpys(count):
            # 3 µs for 624 words and 9 for 2,496; `integers` of a `numpy.random.Generator` takes 9 and 15.
            return draw(count * STATE_WORDS).astype(np.uint32)
        keys = np.empty((count, STATE_WORDS), np.uint32)
        key = self.key()
        for row in keys:
            _twist(key)
            row[...] = key
        return temper(keys.reshape(-1))

    def key(self) -> np.ndarray:
        if self._state is not None:
            return self._state
        state: Any = self._bits.state
        return state["state"]["key"]

    def set_key(self, key: np.ndarray) -> None:
        if self._state is not None:
            self._state[...] = key
        else:
            self._bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": STATE_WORDS}}


def _state_of(bits: Any) -> np.ndarray | None:
    """Return the state's words where NumPy keeps them (`MT19937.state` copies in 57 µs), or None."""
    try:
        import ctypes

        words = (ctypes.c_uint32 * STATE_WORDS).from_address(bits.ctypes.state_address)
    except (ImportError, AttributeError):
        return None
    found = np.ctypeslib.as_array(words)
    return found if np.array_equal(found, bits.state["state"]["key"]) else None


@lru_cache(maxsize=16)
def _first_key(seed: int) -> np.ndarray:
    """Return the state words of a fresh stream (MT19937's initialisation, as published)."""
    words = [seed & 0xFFFFFFFF]
    for n in range(1, STATE_WORDS):
        before = words[-1]
        words.append(1812433253 * (before ^ before >> 30) + n & 0xFFFFFFFF)
    return np.array(words, np.uint32)


def _twist(key: np.ndarray) -> None:
    """Replace state words by the next block's (MT19937's recurrence, as published)."""
    mixed = key & 0x80000000 | np.append(key[1:], key[:1]) & 0x7FFFFFFF
    step = mixed >> 1 ^ (mixed & 1) * 0x9908B0DF
    # Each part takes words that the part before has replaced.
    key[:227] = key[397:] ^ step[:227]
    key[227:454] = key[:227] ^ step[227:454]
    key[454:623] = key[227:396] ^ step[454:623]
    last = int(key[623] & 0x80000000 | key[0] & 0x7FFFFFFF)
    key[623] = int(key[396]) ^ last >> 1 ^ (last & 1) * 0x9908B0DF


def temper(key: np.ndarray) -> np.ndarray:
    """Return the outputs that belong to state words (MT19937's bijection on 32-bit words, as published)."""
    y = key ^ key >> 11
    y ^= y << 7 & 0x9D2C5680
    y ^= y << 15 & 0xEFC60000
    y ^= y >> 18
    return y


def untemper(y: np.ndarray) -> np.ndarray:
    """Return the state words whose outputs these are: each step of `temper` is undone in turn."""
    y = y ^ y >> 18
    y ^= y << 15 & 0xEFC60000
    whole = y
    for _ in range(4):  # seven more bits each
        whole = y ^ whole << 7 & 0x9D2C5680
    return whole ^ (whole ^ whole >> 11) >> 11


def check_seed(seed: object) -> int:
    """Return ``seed`` as an unsigned 64-bit integer, negative numbers wrapped, or raise torch's error."""
    if isinstance(seed, np.integer):
        raise TypeError("an integer is required")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise RuntimeError(f"manual_seed expected a long, but got {c_type_name(seed)}")
    number = operator.index(seed)
    if not -(2**63) <= number < SEEDS:
        raise ValueError("Overflow when unpacking long long")
    return number % SEEDS


def c_type_name(value: object) -> str:
    """Return the name of a value's type as C code prints it: types made in C have their module before it."""
    kind = type(value)
    if kind.__flags__ & _HEAP_TYPE or kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


_NO_WORDS = np.empty(0, np.uint32)

default_generator = Generator()
default_generator.seed()
