"""The page as a document: the user's words are data in it, it asks for nothing, a large graph folds."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback.explain.command import read_options, report
from pullback.explain.page import SCRIPTS, _resource, frame_of, page_of
from pullback.explain.page.groups import MOST, Folding

from .samples import chain, edge, linear, node

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def data_of(page: str) -> Any:
    found = re.search(r'<script type="application/(json|gzip)" id="data"[^>]*>([^<]*)</script>', page)
    assert found is not None
    kind, text = found.groups()
    return json.loads(gzip.decompress(base64.b64decode(text)) if kind == "gzip" else text)


def leaves_of(tree: list[Any]) -> Iterator[int]:
    for item in tree:
        if isinstance(item, int):
            yield item
        else:
            inside = list(leaves_of(item["children"]))
            assert item["count"] == len(inside)
            yield from inside


def widest(tree: list[Any]) -> int:
    return max([len(tree)] + [widest(item["children"]) for item in tree if not isinstance(item, int)])


def test_the_page_holds_the_explanation() -> None:
    explanation = linear([[6, 0], [2, 24], [0, 10]], [1, 10, 100])
    (found,) = data_of(page_of([explanation]))["calls"]
    assert found.pop("tree") == [0, 1]
    assert found["outputs"] == explanation["outputs"]
    (sent,), (given,) = found["graph"]["edges"], explanation["graph"]["edges"]
    assert {**sent, "norm": 0} == {**given, "norm": 0}
    assert sent["norm"] == pytest.approx(given["norm"], rel=1e-4)
    (leaf,) = found["leaves"]
    assert leaf["jacobians"] == explanation["leaves"][0]["jacobians"]
    assert leaf["gradient"] == explanation["leaves"][0]["gradient"]


def test_words_of_the_program_are_never_markup() -> None:
    page = page_of([linear([[1]], [1], code=HOSTILE, leaf=HOSTILE, line=HOSTILE)])
    assert HOSTILE not in page
    assert page.count("<script") == 2
    assert "<img" not in page
    assert data_of(page)["calls"][0]["leaves"][0]["name"] == HOSTILE


def test_a_policy_allows_the_page_s_own_script_and_style_and_no_request() -> None:
    page = page_of([linear([[1]], [1])])
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'")
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"(src|href)=\"(?!data:,)", page)
    assert "sourceMappingURL" not in page


def test_no_script_ends_its_own_element_or_writes_markup() -> None:
    for name in SCRIPTS:
        text = _resource(name)
        assert "</script" not in text
        assert "innerHTML" not in text


def test_a_notebook_shows_the_page_in_a_frame_of_its_own() -> None:
    explanation = linear([[1]], [1], code=HOSTILE)
    frame = frame_of([explanation])
    (inside,) = re.findall(r'srcdoc="([^"]*)"', frame)
    assert html.unescape(inside) == page_of([explanation])
    assert 'sandbox="allow-scripts"' in frame


def test_several_calls_share_a_page() -> None:
    assert len(data_of(page_of([linear([[1]], [1]), linear([[2]], [1])]))["calls"]) == 2


def test_a_large_page_is_compressed() -> None:
    page = page_of([chain(10_000, period=7)])
    assert len(page) < 1_000_000
    assert "data-packed" in page
    assert len(data_of(page)["calls"][0]["graph"]["nodes"]) == 10_000


@pytest.mark.parametrize(
    "made",
    [
        lambda: chain(10_000, period=7),
        lambda: chain(10_000),
        lambda: chain(5_000, module=lambda k: f"layers.{k // 100}.part{k // 25 % 4}"),
        lambda: chain(900, module=lambda k: "model" if k % 3 else None),
    ],
    ids=["loop", "straight", "modules", "mixed"],
)
def test_a_large_graph_folds_into_levels_that_can_be_seen(made: Callable[[], dict[str, Any]]) -> None:
    explanation = made()
    tree = Folding(explanation["graph"]).tree()
    assert sorted(leaves_of(tree)) == list(range(len(explanation["graph"]["nodes"])))
    assert widest(tree) <= MOST


def test_rounds_of_a_loop_stay_whole() -> None:
    tree = Folding(chain(702, period=7)["graph"]).tree()
    (loop,) = [item for item in tree if not isinstance(item, int)]
    assert (loop["kind"], loop["rounds"], loop["title"]) == ("loop", 100, "lines 10–16")
    assert {item["count"] % 7 for item in loop["children"]} == {0}


def test_rounds_of_a_short_loop_lie_beside_each_other() -> None:
    tree = Folding(chain(3 * 5 + 2, period=5)["graph"]).tree()
    (loop,) = [item for item in tree if not isinstance(item, int)]
    assert loop["rounds"] == 3
    assert [len(part["children"]) for part in loop["children"]] == [5, 5, 5]


def test_modules_give_their_names() -> None:
    tree = Folding(chain(300, module=lambda k: f"block{k // 100}.part")["graph"]).tree()
    titles = [item["title"] for item in tree if not isinstance(item, int)]
    assert titles == ["block0", "block1", "block2"]


def test_a_parameter_is_shown_with_the_step_that_uses_it() -> None:
    graph = chain(200, module=lambda k: f"block{k // 100}.part")["graph"]
    for k in range(200, 220):
        graph["nodes"].append(node(k, "leaf", "AccumulateGrad", variable="weight"))
        graph["edges"].append(edge(150, k, 1.0))
    tree = Folding(graph).tree()
    (block,) = [item for item in tree if not isinstance(item, int) and item["title"] == "block1"]
    assert set(range(200, 220)) <= set(leaves_of([block]))


@pytest.mark.parametrize("layers", [1, 2])
def test_many_leaves_of_one_layer_stay_in_its_box(layers: int) -> None:
    lstm = torch.nn.LSTM(3, 4, num_layers=layers)
    loss = lstm(torch.ones(5, 2, 3))[0].sum()
    (call,) = data_of(page_of([torch.explain(loss).to_dict()]))["calls"]
    leaves = {node["id"] for node in call["graph"]["nodes"] if node["kind"] == "leaf"}
    assert len(leaves) == 4 * layers
    alone = {item for item in call["tree"] if isinstance(item, int)}
    assert leaves.isdisjoint(alone) == (layers > 1)
    said = [node.get("says") or "" for node in call["graph"]["nodes"]]
    assert any(text.startswith("lstm: goes back from the last step to the first") for text in said)


def test_long_covectors_on_the_path_are_left_out() -> None:
    explanation = linear([[1.0] * 100], [1.0])
    (found,) = data_of(page_of([explanation]))["calls"]
    (sent,) = found["graph"]["edges"]
    assert sent["value"] is None
    assert sent["norm"] == 10.0
    assert found["leaves"][0]["gradient"] == explanation["leaves"][0]["gradient"]


def test_an_explanation_saves_its_page_and_shows_it_in_a_notebook(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    explanation = torch.explain(x * x, torch.tensor([1.0, 10.0]))
    explanation.save(tmp_path / "x.html")
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert page == page_of([explanation.to_dict()])
    assert explanation._repr_html_() == frame_of([explanation.to_dict()])


def test_the_command_writes_one_page_for_all_calls(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.explain.record() as record:
        (x * x).backward(torch.tensor([1.0, 10.0]))
        x.sum().backward()
    options, program = read_options(["--html", str(tmp_path / "report.html"), "program.py", "--html"])
    report(record, options)
    assert program == ["program.py", "--html"]
    data = data_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert len(data["calls"]) == 2
    assert data["findings"] == []
    assert any("x.sum().backward()" in text for _, text in data["sources"][0]["lines"])
    said = capsys.readouterr().out
    assert said.startswith("\nNothing was found to be wrong.\n")
    assert len(said.splitlines()) <= 12
