"""Places of nodes and of writes, as explanations ask for them."""

from __future__ import annotations

import inspect
import linecache
from pathlib import Path

import pullback as torch
from pullback.core.blame import Place
from pullback.explain import scene, source


def test_places() -> None:
    start = inspect.currentframe().f_lineno  # type: ignore[union-attr]  # CPython has frames
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = torch.ones(2)
    assert source.changed_at(z) is None
    z.add_(1)
    z.mul_(2)

    def lines(*places: Place | None) -> list[int | None]:
        return [None if place is None else place.line - start for place in places]

    assert lines(source.place_of(y), source.place_of(y.grad_fn), source.place_of(x)) == [2, 2, None]
    assert lines(source.changed_at(z), source.changed_at(z, 1), source.changed_at(z._counter)) == [6, 5, 6]


def test_a_place_of_one_of_several_outputs() -> None:
    x = torch.ones(4, requires_grad=True)
    first, _ = x.split(2)
    assert source.place_of(first) == source.place_of(first.grad_fn)
    assert source.place_of(first) is not None


def test_what_frames_hold_is_read_once_for_all_messages() -> None:
    code = test_places.__code__
    found = scene.scope_of(code)
    assert found.statements
    assert scene.scope_of(code) is found


def test_scopes_of_what_is_changed_are_read_again(tmp_path: Path) -> None:
    file = str(tmp_path / "program.py")
    for source_text, targets in (("x = 1\n", ("x",)), ("y = 2\n", ("y",))):
        linecache.cache[file] = (len(source_text), None, source_text.splitlines(True), file)
        found = scene.scope_at(scene.place_in(file, 1))
        assert [s.targets for s in found.statements] == [targets]
