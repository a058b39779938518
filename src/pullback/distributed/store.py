"""Define stores of small values, by which processes tell each other where they are and what they agreed on.

What this module must do:

- offer one set of operations over a table in this process, in a file, or in another process (`tcp_store`);
- wait for keys that another process or thread sets, up to a time;
- raise torch's errors, by their classes.
"""

from __future__ import annotations

import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from ..array import locks

DEFAULT_TIMEOUT = timedelta(seconds=300)


class DistError(RuntimeError):
    """An error of torch.distributed."""


class DistBackendError(DistError):
    """An error of a backend."""


class DistNetworkError(DistError):
    """A process cannot be reached."""


class DistStoreError(DistError):
    """A store has no answer in time."""


class QueueEmptyError(DistStoreError):
    """There is nothing in a queue."""


for _error in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _error.__module__ = "torch.distributed"


class Table:
    """Values by key, and what can be done to them; each operation is done as a whole."""

    #: Operations that change a value, by name.
    CHANGES = frozenset(
        {"set", "add", "compare_set", "append", "delete_key", "multi_set", "queue_push", "queue_pop"}
    )

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}
        self.queues: dict[str, deque[bytes]] = {}

    def apply(self, name: str, args: tuple[Any, ...]) -> Any:
        """Do an operation."""
        return getattr(self, name)(*args)

    def set(self, key: str, value: bytes) -> None:
        self.values[key] = value

    def find(self, keys: Sequence[str]) -> list[bytes] | None:
        """Return the values of keys, None where one is not there."""
        try:
            return [self.values[key] for key in keys]
        except KeyError:
            return None

    def add(self, key: str, amount: int) -> int:
        total = int(self.values.get(key, b"0")) + amount
        self.values[key] = str(total).encode()
        return total

    def compare_set(self, key: str, expected: bytes, desired: bytes) -> bytes:
        if key not in self.values:
            if expected:
                return expected
            self.values[key] = desired
        elif self.values[key] == expected:
            self.values[key] = desired
        return self.values[key]

    def append(self, key: str, value: bytes) -> None:
        self.values[key] = self.values.get(key, b"") + value

    def delete_key(self, key: str) -> bool:
        return self.values.pop(key, None) is not None

    def check(self, keys: Sequence[str]) -> bool:
        return all(key in self.values for key in keys)

    def num_keys(self) -> int:
        return len(self.values)

    def list_keys(self) -> list[str]:
        return [key for key in self.values if key != "init/"]

    def multi_set(self, keys: Sequence[str], values: Sequence[bytes]) -> None:
        self.values.update(zip(keys, values, strict=True))

    def queue_push(self, key: str, value: bytes) -> None:
        self.queues.setdefault(key, deque()).append(value)

    def queue_pop(self, key: str) -> bytes | None:
        queue = self.queues.get(key)
        return queue.popleft() if queue else None

    def queue_len(self, key: str) -> int:
        return len(self.queues.get(key, ()))


def as_bytes(value: Any) -> bytes:
    """Return a value as it is kept."""
    return value.encode() if isinstance(value, str) else bytes(value)


class Store:
    """Values by key that several processes see; the base of all stores."""

    def __init__(self) -> None:
        self._timeout = DEFAULT_TIMEOUT

    def _do(self, name: str, *args: Any) -> Any:
        """Do an operation of `Table`."""
        raise NotImplementedError

    def _await(self, name: str, args: tuple[Any, ...], seconds: float) -> Any:
        """Do an operation again until its result is not None; None after `seconds`."""
        raise NotImplementedError

    def _late(self, keys: Sequence[str], seconds: float) -> Exception:
        """Return the error of a wait that was too long."""
        return DistStoreError("Wait timeout")

    @property
    def timeout(self) -> timedelta:
        """Return for how long `get` and `wait` wait."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Say for how long `get` and `wait` wait."""
        self._timeout = timeout

    def set(self, key: str, value: Any) -> None:
        """Set the value of a key, a string or bytes."""
        self._do("set", key, as_bytes(value))

    def get(self, key: str) -> bytes:
        """Return the value of a key, after waiting for it where it is not there."""
        return self.multi_get([key])[0]

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """Return the values of keys, after waiting for those that are not there."""
        seconds = self._timeout.total_seconds()
        if (found := self._await("find", (list(keys),), seconds)) is None:
            raise self._late(keys, seconds)
        return found

    def multi_set(self, keys: Sequence[str], values: Sequence[Any]) -> None:
        """Set the values of keys."""
        self._do("multi_set", list(keys), [as_bytes(value) for value in values])

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Wait until all keys are there."""
        seconds = (timeout or self._timeout).total_seconds()
        if self._await("find", (list(keys),), seconds) is None:
            raise self._late(keys, seconds)

    def add(self, key: str, amount: int) -> int:
        """Add to the number that a key has, 0 at first; return the sum."""
        return self._do("add", key, int(amount))

    def compare_set(self, key: str, expected_value: Any, desired_value: Any) -> bytes:
        """Set a key where it has the expected value; return the value it has then."""
        return self._do("compare_set", key, as_bytes(expected_value), as_bytes(desired_value))

    def append(self, key: str, value: Any) -> None:
        """Lengthen the value of a key."""
        self._do("append", key, as_bytes(value))

    def check(self, keys: Sequence[str]) -> bool:
        """Return whether all keys are there."""
        return self._do("check", list(keys))

    def delete_key(self, key: str) -> bool:
        """Take a key away; return whether it was there."""
        return self._do("delete_key", key)

    def num_keys(self) -> int:
        """Return how many keys there are."""
        return self._do("num_keys")

    def list_keys(self) -> list[str]:
        """Return all keys."""
        return self._do("list_keys")

    def queue_push(self, key: str, value: Any) -> None:
        """Put a value at the end of a queue."""
        self._do("queue_push", key, as_bytes(value))

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Take the first value out of a queue, after waiting for one if `block`."""
        seconds = self._timeout.total_seconds() if block else 0.0
        if (found := self._await("queue_pop", (key,), seconds)) is None:
            raise self._late([key], seconds) if block else QueueEmptyError(f"queue {key} is empty")
        return found

    def queue_len(self, key: str) -> int:
        """Return how many values are in a queue."""
        return self._do("queue_len", key)

    def has_extended_api(self) -> bool:
        """Return whether there are `append`, `multi_get` and `multi_set`: True."""
        return True

    def clone(self) -> Store:
        """Return another access to the same values."""
        return self


class SharedTable:
    """A table that threads share, with waiting."""

    def __init__(self) -> None:
        self.table = Table()
        self.changed = locks.condition()

    def do(self, name: str, args: tuple[Any, ...]) -> Any:
        with self.changed:
            result = self.table.apply(name, args)
            if name in Table.CHANGES:
                self.changed.notify_all()
            return result

    def wait(self, name: str, args: tuple[Any, ...], seconds: float) -> Any:
        found: list[Any] = [None]

        def there() -> bool:
            found[0] = self.table.apply(name, args)
            return found[0] is not None

        with self.changed:
            self.changed.wait_for(there, seconds)
        return found[0]


class HashStore(Store):
    """A store in this process, for its threads."""

    def __init__(self) -> None:
        super().__init__()
        self._shared = SharedTable()

    def _do(self, name: str, *args: Any) -> Any:
        return self._shared.do(name, args)

    def _await(self, name: str, args: tuple[Any, ...], seconds: float) -> Any:
        return self._shared.wait(name, args, seconds)


class FileStore(Store):
    """A store in a file that all processes can open: a record of the changes, one behind the other.

    Parameters
    ----------
    file_name : str
    world_size : int
        Taken for torch's sake.
    """

    def __init__(self, file_name: str, world_size: int = -1) -> None:
        super().__init__()
        self._path = file_name
        self._table = Table()
        self._read = 0
        self._thread = locks.lock()
        self._do("add", "init/", 1)

    @property
    def path(self) -> str:
        """Return the file."""
        return self._path

    def _do(self, name: str, *args: Any) -> Any:
        import fcntl

        with self._thread:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
            with open(descriptor, "r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                self._take_over(file)
                result = self._table.apply(name, args)
                if name in Table.CHANGES:
                    file.seek(0, os.SEEK_END)
                    pickle.dump((name, args), file)
                    file.flush()
                    self._read = file.tell()
        return result

    def _take_over(self, file: Any) -> None:
        """Do the changes that others have written since."""
        file.seek(self._read)
        while True:
            try:
                name, args = pickle.load(file)
            except EOFError:
                break
            self._table.apply(name, args)
            self._read = file.tell()

    def _await(self, name: str, args: tuple[Any, ...], seconds: float) -> Any:
        return polled(lambda: self._do(name, *args), seconds)

    def _late(self, keys: Sequence[str], seconds: float) -> Exception:
        return RuntimeError(f"Timeout waiting for key: {keys[0]} after {round(seconds * 1000)} ms")


def polled(ask: Callable[[], Any], seconds: float) -> Any:
    """Ask again until the answer is not None; None after `seconds`."""
    end = time.monotonic() + seconds
    pause = 1e-3
    while (found := ask()) is None and time.monotonic() < end:
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    return found


class PrefixStore(Store):
    """Another store, `store`, in which `prefix` and a slash stand before all keys."""

    def __init__(self, prefix: str, store: Store) -> None:
        self._prefix = prefix
        self._store = store

    @property
    def underlying_store(self) -> Store:
        """Return the other store."""
        return self._store

    @property
    def _underlying_non_prefix_store(self) -> Store:
        inner = self._store
        return inner._underlying_non_prefix_store if isinstance(inner, PrefixStore) else inner

    @property
    def timeout(self) -> timedelta:
        return self._store.timeout

    @property
    def _timeout(self) -> timedelta:  # type: ignore[override]  # that of the other store
        return self._store.timeout

    def set_timeout(self, timeout: timedelta) -> None:
        self._store.set_timeout(timeout)

    def clone(self) -> PrefixStore:
        return PrefixStore(self._prefix, self._store.clone())

    def _with_prefix(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        if not args:
            return args
        keys, *rest = args
        if isinstance(keys, list):
            return ([f"{self._prefix}/{key}" for key in keys], *rest)
        return (f"{self._prefix}/{keys}", *rest)

    def _do(self, name: str, *args: Any) -> Any:
        return self._store._do(name, *self._with_prefix(args))

    def _await(self, name: str, args: tuple[Any, ...], seconds: float) -> Any:
        return self._store._await(name, self._with_prefix(args), seconds)

    def _late(self, keys: Sequence[str], seconds: float) -> Exception:
        return self._store._late([f"{self._prefix}/{key}" for key in keys], seconds)
