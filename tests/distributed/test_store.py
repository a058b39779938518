"""Stores of small values: torch's operations and errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pullback import distributed as dist

SHORT = timedelta(milliseconds=20)


@pytest.fixture(params=["hash", "file", "tcp", "prefix"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dist.Store]:
    if request.param == "hash":
        yield dist.HashStore()
    elif request.param == "file":
        pytest.importorskip("fcntl")
        yield dist.FileStore(str(tmp_path / "store"), 1)
    else:
        tcp = dist.TCPStore("127.0.0.1", 0, 1, is_master=True)
        yield dist.PrefixStore("a/b", tcp) if request.param == "prefix" else tcp
        tcp.close()


def test_values(store: dist.Store) -> None:
    store.set("a", "text")
    store.set("b", b"\x00\xff")
    assert (store.get("a"), store.get("b")) == (b"text", b"\x00\xff")
    assert [store.add("n", 3), store.add("n", -1), store.get("n")] == [3, 2, b"2"]
    assert store.compare_set("a", "text", "new") == b"new"
    assert store.compare_set("a", "text", "newer") == b"new"
    assert store.compare_set("c", "", "made") == b"made"
    assert store.compare_set("d", "x", "y") in (b"x", b"y")
    store.append("a", "er")
    store.multi_set(["p", "q"], ["1", "2"])
    assert store.multi_get(["a", "q"]) == [b"newer", b"2"]
    assert store.check(["a", "p"])
    assert not store.check(["a", "missing"])
    assert store.delete_key("a")
    assert not store.delete_key("a")
    store.queue_push("queue", "first")
    store.queue_push("queue", "second")
    assert [store.queue_len("queue"), store.queue_pop("queue"), store.queue_pop("queue")] == [
        2, b"first", b"second",
    ]  # fmt: skip
    with pytest.raises(dist.QueueEmptyError):
        store.queue_pop("queue", block=False)
    assert store.has_extended_api()


def test_waiting(store: dist.Store) -> None:
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(store.clone().get("late")))
    reader.start()
    store.set("late", "here")
    reader.join()
    assert found == [b"here"]
    store.wait(["late"])
    with pytest.raises(RuntimeError, match="(?i)timeout"):
        store.wait(["never"], SHORT)
    store.set_timeout(SHORT)
    assert store.timeout == SHORT
    with pytest.raises(RuntimeError, match="(?i)timeout"):
        store.get("never")


def test_a_tcp_store_and_its_clients() -> None:
    master = dist.TCPStore("localhost", 0, is_master=True)
    client = dist.TCPStore("localhost", master.port, timeout=SHORT)
    client.set("from", "client")
    assert master.get("from") == b"client"
    assert master.num_keys() == 2  # as torch counts: its own, and the one of the clients' number
    prefixed = dist.PrefixStore("one", dist.PrefixStore("two", client))
    prefixed.set("key", "value")
    assert master.get("two/one/key") == b"value"
    assert prefixed._underlying_non_prefix_store is client
    with pytest.raises(dist.DistStoreError, match=r"^wait timeout after 20ms, keys: /two/one/never$"):
        prefixed.get("never")
    with pytest.raises(dist.DistNetworkError, match=r"failed to listen.*EADDRINUSE"):
        dist.TCPStore("127.0.0.1", master.port, is_master=True)
    with pytest.raises(dist.DistStoreError, match=r"waiting for clients. 1/2 clients joined.$"):
        dist.TCPStore("127.0.0.1", 0, 2, is_master=True, timeout=SHORT)
    client.close()
    port = master.port
    master.close()
    with pytest.raises(dist.DistNetworkError, match=rf"timed out after 20ms .* \(127.0.0.1, {port}\)"):
        dist.TCPStore("127.0.0.1", port, timeout=SHORT)


def test_two_accesses_to_a_file(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    one, two = (dist.FileStore(str(tmp_path / "store")) for _ in range(2))
    one.set("a", "1")
    two.append("a", "2")
    assert one.get("a") == b"12"
    assert one.path == str(tmp_path / "store")
