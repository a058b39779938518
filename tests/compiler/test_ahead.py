"""What is made ahead is made once, whatever happens to it on the way."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from pullback.compiler.runtime import shared_functions
from pullback.compiler.runtime.shared_functions import Ahead


@pytest.fixture(autouse=True)
def nothing_made(monkeypatch: Any) -> None:
    monkeypatch.setattr(shared_functions, "_made", set())
    monkeypatch.setattr(shared_functions, "get_num_threads", lambda: 2)


def test_it_is_made_once_on_another_thread():
    threads = []
    for _ in range(2):
        with Ahead({"x": lambda: threads.append(threading.current_thread())}):
            pass
        assert len(threads) == 1 and threads[0] is not threading.current_thread()
        assert not threads[0].is_alive()


def test_what_fails_is_tried_again_and_stops_nobody():
    tried = []

    def failing() -> None:
        tried.append(1)
        raise KeyboardInterrupt

    for count in (1, 2):
        with Ahead({"x": failing, "y": lambda: tried.append(2)}):
            pass
        assert tried == [1] * count


def test_an_error_in_the_block_waits_for_the_thread_too():
    done = []
    with pytest.raises(KeyError), Ahead({"x": lambda: done.append(1)}):
        raise KeyError
    assert done == [1]


def test_where_there_is_one_thread_nothing_is_made_ahead(monkeypatch):
    monkeypatch.setattr(shared_functions, "get_num_threads", lambda: 1)
    done: list[int] = []
    with Ahead({"x": lambda: done.append(1)}):
        pass
    assert not done
