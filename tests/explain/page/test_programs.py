"""The pages of whole programs: an MLP, a CNN, an RNN, a GAN, a transformer and a loss that becomes NaN."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pullback import explain
from pullback.explain.page.groups import FITS_WITH_LEAVES

from .test_page import data_of

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))

#: Names in the picture that a reader of the program knows: calls of modules and functions, and variables.
KNOWN = {
    "mlp": {"cross_entropy", "Linear model.2", "Tanh model.1", "Linear model.0"},
    "cnn": {"cross_entropy", "Linear model.fc", "Conv2d model.conv1", "BatchNorm2d model.norm", "relu"},
    "rnn": {"mean", "Linear head", "RNNCell cell", "… - …"},
    "gan": {"BCEWithLogitsLoss bce", "Linear D.0", "LeakyReLU D.1"},
    "transformer": {"cross_entropy", "Linear model.head", "Block model.blocks.1", "Embedding model.embed"},
    "nan": {"sqrt", "Linear model.0", "ReLU model.1"},
}


@cache
def page_of_program(program: Path) -> str:
    with explain.record() as recording:
        runpy.run_path(str(program))
    return recording.page()


def boxes(tree: list[Any]) -> Iterator[Any]:
    for item in tree:
        yield item
        if not isinstance(item, int):
            yield from boxes(item["children"])


@pytest.fixture(params=PROGRAMS, ids=lambda program: program.stem)
def program(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_the_picture_has_the_names_of_the_program(program: Path) -> None:
    call = data_of(page_of_program(program))["calls"][0]
    nodes = {node["id"]: node for node in call["graph"]["nodes"]}
    titles = {
        nodes[box]["title"] or nodes[box]["known_as"] if isinstance(box, int) else box["title"]
        for box in boxes(call["tree"])
    }
    assert titles >= KNOWN[program.stem]
    assert not any(title and "Backward" in title for title in titles)


def test_it_opens_with_few_boxes_that_hold_all_steps(program: Path) -> None:
    for call in data_of(page_of_program(program))["calls"]:
        assert len(call["tree"]) <= FITS_WITH_LEAVES + 4
        steps = [box for box in boxes(call["tree"]) if isinstance(box, int)]
        assert sorted(steps) == sorted(node["id"] for node in call["graph"]["nodes"])


def test_each_box_has_its_value_its_line_and_its_sentence(program: Path) -> None:
    call = data_of(page_of_program(program))["calls"][0]
    steps = [node for node in call["graph"]["nodes"] if node["kind"] != "leaf"]
    assert all(node["says"] and node["line"] and node["shape"] is not None for node in steps)
    nodes = {node["id"]: node for node in call["graph"]["nodes"]}
    for box in call["tree"]:
        inside = [nodes[step] for step in boxes([box]) if isinstance(step, int)]
        result = next((node for node in inside if node["kind"] != "leaf"), inside[0])
        assert result["value"] is not None, result


def test_the_program_stands_beside_it(program: Path) -> None:
    data = data_of(page_of_program(program))
    (source,) = data["sources"]
    assert source["file"] == str(program)
    assert [text for _, text in source["lines"]] == program.read_text(encoding="utf-8").splitlines()


def test_each_gradient_is_drawn_in_the_shape_of_its_weight(program: Path) -> None:
    for leaf in data_of(page_of_program(program))["calls"][0]["leaves"]:
        cells = leaf["heat"]["cells"]
        rows, columns = leaf["heat"]["block"]
        size = len(cells) * rows * len(cells[0]) * columns
        assert all(len(row) == len(cells[0]) for row in cells)
        length = 1
        for axis in leaf["shape"]:
            length *= axis
        assert length <= size
        if len(leaf["shape"]) == 2 and (rows, columns) == (1, 1):
            assert [len(cells), len(cells[0])] == leaf["shape"]


def test_the_rounds_of_a_loop_are_one_box() -> None:
    call = data_of(page_of_program(PROGRAMS[[p.stem for p in PROGRAMS].index("rnn")]))["calls"][0]
    (loop,) = [box for box in call["tree"] if not isinstance(box, int) and box["kind"] == "loop"]
    assert (loop["title"], loop["rounds"], len(loop["children"])) == ("RNNCell cell", 10, 10)


def test_what_is_wrong_stands_first() -> None:
    data = data_of(page_of_program(PROGRAMS[[p.stem for p in PROGRAMS].index("nan")]))
    first = data["findings"][0]
    assert "square root" in first["cause"]
    assert first["code"] == "return torch.sqrt(((a - b) ** 2).sum(1))"
    assert data["calls"][0]["leaves"][0]["gradient"]["shape"] == [8, 3]


@pytest.mark.parametrize("width", [1280, 390])
def test_lines_and_boxes_light_each_other(visit: Callable[..., Any], width: int) -> None:
    page = visit(page_of_program(PROGRAMS[[p.stem for p in PROGRAMS].index("nan")]), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert "square root" in page.locator(".finding").first.inner_text()
    page.locator(".finding .place-link").first.click()
    chosen = page.locator(".line.chosen")
    assert "torch.sqrt" in chosen.inner_text()
    assert page.locator("g.box.lit").count() > 0
    page.locator("g.box.covector").hover()
    assert "loss.backward()" in page.locator(".line.lit").inner_text()
    pane = page.locator(".pane")
    inside = page.evaluate(
        "[document.querySelector('.pane svg').getBoundingClientRect().width,"
        " document.querySelector('.pane').clientWidth]"
    )
    assert inside[0] <= inside[1]
    assert pane.locator("g.box.covector").count() == 1
