"""Kill processes while they save, and attack the cache folder: what is read afterwards is right or absent."""

from __future__ import annotations

import os
import random
import signal
import stat
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import pullback as torch
from pullback.compiler.runtime import cache


def saves(count: int, seed: int = 0) -> list[str]:
    """Kill so many processes at random moments of saving over a file; what the file holds must be whole."""
    chance, wrong = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pt"
        torch.save(torch.zeros(100_000), path)
        for number in range(count):
            pid = os.fork()
            if not pid:
                try:
                    while True:
                        torch.save(torch.full((100_000,), float(number)), path)
                finally:
                    os._exit(1)
            time.sleep(chance.random() * 0.02)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            found = torch.load(path)
            if not (found == found[0]).all():
                wrong.append(f"after {number} kills the file holds parts of two")
        torch.save(torch.ones(1), path)
        left = [*Path(folder).glob("*.part")]
        if left:
            wrong.append(f"{len(left)} parts are left after the last save")
    return wrong


def caches(count: int, seed: int = 0) -> list[str]:
    """Change the entries of the cache folder at random, and its permissions; what is read must be right."""
    chance, wrong = random.Random(seed), []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "cache"
        before = {name: os.environ.get(name) for name in ("PULLBACK_CACHE", "PULLBACK_CACHE_DIR")}
        os.environ |= {"PULLBACK_CACHE": "1", "PULLBACK_CACHE_DIR": str(place)}
        try:
            for _ in range(count):
                cache.write("entry", ["called"], bytes(range(256)))
                _damage(chance, place / "entry.code")
                found = cache.read("entry")
                if found not in (None, (["called"], bytes(range(256)))):
                    wrong.append(f"a damaged entry was read as {found}"[:200])
            wrong += _refused_folders(Path(folder))
            wrong += _raced()
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
    return wrong


def _damage(chance: random.Random, entry: Path) -> None:
    content = bytearray(entry.read_bytes())
    kind = chance.randrange(5)
    if kind == 0:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    elif kind == 1:
        del content[chance.randrange(len(content)) :]
    elif kind == 2:
        content += chance.randbytes(chance.randint(1, 40))
    elif kind == 3:
        at = chance.randrange(len(content))
        content[at:at] = chance.randbytes(8)
    else:
        entry.chmod(0o666)  # others could have written it
    entry.write_bytes(content)


def _refused_folders(folder: Path) -> list[str]:
    """Name folders that are not the user's own; none may be read."""
    wrong = []
    for name, spoil in _SPOILED.items():
        place = folder / name.replace(" ", "-")
        os.environ["PULLBACK_CACHE_DIR"] = str(place)
        cache.write("entry", [], b"content")
        spoil(place)
        if cache.read("entry") is not None:
            wrong.append(f"a folder that is {name} was read")
    return wrong


def _link(place: Path) -> None:
    there = place.with_name("there")
    place.rename(there)
    place.symlink_to(there)


_SPOILED: dict[str, Callable[[Path], None]] = {
    "writable for others": lambda place: place.chmod(stat.S_IRWXU | stat.S_IWOTH),
    "writable for the group": lambda place: place.chmod(stat.S_IRWXU | stat.S_IWGRP),
    "a link": _link,
}


def _raced() -> list[str]:
    """Have threads write, read, remove and replace one entry."""
    wrong: list[str] = []
    content = [bytes([n]) * 10_000 for n in range(4)]

    def work(number: int) -> None:
        try:
            for _ in range(50):
                cache.write("raced", number, content[number])
                found = cache.read("raced")
                if found is not None and found[1] != content[found[0]]:
                    wrong.append("an entry held parts of two")
                if number == 3:
                    cache.clear()
        except Exception:  # noqa: BLE001  # told as it is
            wrong.append(traceback.format_exc()[-500:])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong
