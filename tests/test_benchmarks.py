"""The benchmark's workloads compute in pullback what they compute in torch, so that their times compare."""

from __future__ import annotations

import platform
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import large_calls, pictures, probe, report, service, service_models, small_calls
from benchmarks.case import Case, Library, ProcessRow, Row
from benchmarks.peers import BY_NAME, unchanged
from benchmarks.run import TOLERANCE, Worker, chosen_rows, measure_row
from benchmarks.suite import HELD, OPEN
from benchmarks.worker import _Bench
from benchmarks.workloads import ROWS

import pullback
from tests.recorded import load

RECORDED = load("benchmarks")


SUITE = OPEN | HELD
STEPS = ROWS | SUITE


@pytest.mark.parametrize("name", [name for name, row in STEPS.items() if isinstance(row, Row)])
def test_first_numbers_are_those_of_torch(name: str) -> None:
    row = STEPS[name]
    assert isinstance(row, Row)
    case = row.builders["torch"](Library(pullback, unchanged))
    numbers = [case.number(case.step()) for _ in RECORDED[name]]
    assert numbers == pytest.approx(RECORDED[name], rel=TOLERANCE, abs=TOLERANCE)


@pytest.mark.parametrize("name", [name for name, row in SUITE.items() if "jax" in row.builders])
def test_steps_in_jax_give_the_same_first_numbers(name: str) -> None:
    jax = pytest.importorskip("jax")
    case = SUITE[name].builders["jax"](Library(jax, unchanged))
    numbers = [case.number(case.step()) for _ in RECORDED[name]]
    assert numbers == pytest.approx(RECORDED[name], rel=TOLERANCE, abs=TOLERANCE)


def test_every_workload_of_the_table_is_there() -> None:
    assert [row.group for row in chosen_rows("b,c,d,e,f,g,h,i,j,k")] == list("bcdefghijk")
    assert {row.group for row in ROWS.values()} == set("abcdefghijklmnopqrs")


def test_a_third_of_the_suite_is_kept_aside() -> None:
    assert OPEN.keys().isdisjoint(HELD)
    assert len(OPEN) + len(HELD) >= 80
    assert round(len(OPEN) / len(HELD)) == 2


def test_means_tell_the_rows_that_are_slowest() -> None:
    rows = [
        {"name": name, "peers": {p: {"median": m} for p, m in medians.items()}}
        for name, medians in {
            "a": {"pullback": 2.0, "pullback.compile": 1.0, "torch": 4.0, "jax.jit": 2.0},
            "b": {"pullback": 8.0, "pullback.compile": 8.0, "torch": 4.0},
        }.items()
    ]
    figures = "geometric mean 1.00, 1 of 2 rows at most 1; slowest b 2.00, a 0.50"
    assert report.means({"rows": rows}) == [
        f"pullback.compile to the fastest peer: {figures}", f"pullback to torch: {figures}",
    ]  # fmt: skip


def started(first: float, cached: float, memory: float, process: float) -> dict[str, float]:
    return dict(zip(report.START_KEYS, (first, cached, 90.0, memory, process), strict=True))


def test_first_calls_and_memory_of_the_suite_have_lines_and_a_table_of_their_own() -> None:
    torch = started(0.01, 0.01, 40.0, 300.0)
    rows = [
        {"name": "a", "start": {"pullback.compile": started(0.5, 0.1, 30.0, 90.0), "torch": torch}},
        {"name": "b", "start": {"pullback.compile": started(2.0, 0.2, 50.0, 110.0), "torch": torch}},
    ]
    names = ("pullback.compile", "torch", "jax.jit")
    results: dict[str, Any] = {"rows": rows, "about": {"peers": dict.fromkeys(names)}}
    calls, memory, process = report.start_means(results)
    assert calls == (
        "pullback.compile, first calls: 50% of 2 at most 1 s (slowest b 2.00, a 0.50); "
        "from the disk cache 100% of 2 at most 0.2 s (slowest b 0.20, a 0.10)"
    )
    assert memory == "pullback.compile, peak memory above torch's in 1 of 2 rows: MB more b 10.0"
    assert process == "pullback.compile, peak of the whole process above torch's in 0 of 2 rows"
    line = report.start_line(results["rows"][0], ["pullback.compile", "jax.jit"])
    assert line.split("memory")[1].split() == ["0.50", "0.10s", "30MB", "–"]
    assert report.start_rows(results)[1] == ["a", "0.5", "0.1", "30", "0.01", "0.01", "40", "–", "–", "–"]
    assert report.start_rows({**results, "rows": [{"name": "a"}]}) == []


def test_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    peers = {name: {"median": m, "ratio": m / 4} for name, m in (("pullback", 2.0), ("torch", 4.0))}
    entry = report.describe(ROWS["b"]) | {"peers": peers, "failures": {}}
    about = {"processor": "one", "cores": 2, "date": "today", "peers": dict.fromkeys(peers)}
    for draw in (pictures.peers, pictures.ratios):
        path = tmp_path / f"{draw.__name__}.png"
        draw({"rows": [entry], "about": about}, path)
        assert path.read_bytes().startswith(b"\x89PNG")


def test_rows_of_one_probe_have_the_peers_that_each_names() -> None:
    call, memory = ROWS["r-first-f"], ROWS["r-memory-f"]
    assert isinstance(call, ProcessRow)
    assert isinstance(memory, ProcessRow)
    assert call.probe == memory.probe
    assert [name for name, peer in BY_NAME.items() if call.takes(name, peer.family, peer.compiles)] == [
        "pullback.compile", "torch.compile", "jax.jit",
    ]  # fmt: skip
    assert [name for name, peer in BY_NAME.items() if memory.takes(name, peer.family, peer.compiles)] == [
        "pullback", "pullback.compile", "torch",
    ]  # fmt: skip


def test_rows_are_chosen_by_group_name_and_beginning() -> None:
    assert [row.name for row in chosen_rows("a-mul-0d,l-hessian")] == [
        "a-mul-0d",
        "a-mul-0d-grad",
        "l-hessian",
        "l-hessian-vectorized",
    ]
    with pytest.raises(SystemExit, match="no row matches 'z'"):
        chosen_rows("z")


def test_a_line_shows_figures_ratios_and_the_verdict() -> None:
    peers = {"pullback": {"median": 48.7, "ratio": 0.41}, "torch": {"median": 1234.5, "ratio": 1.0}}
    entry = report.describe(ROWS["b"]) | {"peers": peers, "failures": {"autograd": "Traceback"}}
    line = report.line(entry, ["pullback", "torch", "jax.jit", "autograd"])
    assert line.split("ops")[1].split() == [
        "48.7", "(0.41)", "1,234", "(1.00)", "–", "failed", "≤", "0.7:", "reached",
    ]  # fmt: skip


def test_what_a_compiled_row_moves_and_computes_is_set_beside_the_machine() -> None:
    pytest.importorskip("llvmlite")
    bench = _Bench("pullback.compile", 1e-6)
    bench.open("l-jacobian")
    told = bench.ceiling(None)
    # The product of the weight and the point is 2 · 64², the Jacobian scales the weight's rows.
    assert told["flops"] >= 2 * 64**2 + 64**2
    assert told["bytes"] >= 4 * 2 * 64**2
    moving, computing = told["bytes"] / told["bandwidth"], told["flops"] / told["products"]
    assert max(moving, computing) <= told["least_us"] * 1e-6 * (1 + 1e-9)
    assert told["least_us"] * 1e-6 <= moving + computing


class InThisProcess(Worker):
    """A worker without a process of its own."""

    def ask(self, command: str, argument: Any = None, timeout: float = 0) -> Any:
        return getattr(self.bench, command)(argument)

    @cached_property
    def bench(self) -> _Bench:
        return _Bench(self.peer.name, self.sample_seconds)


@pytest.mark.parametrize("fails", [True, False])
def test_a_row_that_the_compiler_fails_at_is_marked(
    fails: bool, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    def lower(program: Any) -> Any:
        raise MemoryError("injected")

    def build(library: Library) -> Case:
        x = library.module.ones(3)
        return Case(library.compile(lambda: x * 2), lambda value: float(value.sum()))

    pytest.importorskip("llvmlite")
    if fails:
        monkeypatch.setattr("pullback.compiler.lower.equations.lower", lower)
    name, row = "pullback.compile", Row("fails", "", {"torch": build})
    monkeypatch.setitem(OPEN, row.name, row)
    entry = report.describe(row) | measure_row(row, {name: InThisProcess(BY_NAME[name], 1e-6)}, 1)
    assert report.line(entry, [name]).endswith("!") == fails
    said = "fails pullback.compile runs eagerly: the compiler failed: MemoryError: injected"
    assert report.footer({"rows": [entry]}) == said * fails
    assert len(recwarn) == fails


def test_shares_of_the_ceiling_have_a_table_of_their_own() -> None:
    told = {"bytes": 48e6, "flops": 2e6, "least_us": 500.0, "bandwidth": 40e9, "products": 200e9}
    entry = report.describe(ROWS["j"]) | {
        "peers": {"pullback.compile": {"median": 1000.0, "ratio": None}}, "failures": {},
        "ceilings": {"pullback.compile": told},
    }  # fmt: skip
    assert report.ceiling_rows({"rows": [entry]})[1:] == [
        ["j", "pullback.compile", "48", "2", "1,000", "500", "50%", "40", "200"]
    ]
    assert report.ceiling_rows({"rows": [entry | {"ceilings": {}}]}) == []


def test_first_calls_and_peak_memory_are_judged_by_the_compiled_peer() -> None:
    assert [row.name for row in chosen_rows("r-first-d,r-memory-f")] == [
        "r-first-d", "r-memory-f", "r-memory-f-cached",
    ]  # fmt: skip
    peers = {name: {"median": 0.8, "ratio": None} for name in ("pullback.compile", "torch.compile")}
    entry = report.describe(ROWS["r-first-d"]) | {"peers": peers, "failures": {}}
    assert report.verdict(entry) == "≤ 1: reached"


def test_a_probe_of_a_row_gives_seconds_and_megabytes() -> None:
    told = probe.begin(BY_NAME["pullback.compile"], "l-jacobian")
    assert told["seconds"] > 0
    assert told["peak_mb"] >= 0


@pytest.mark.skipif(platform.system() != "Linux" or platform.machine() != "x86_64", reason="freezes for ELF")
@pytest.mark.parametrize("model", service_models.NAMES)
def test_contenders_of_the_service_answer_alike(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("llvmlite", "safetensors", "onnx", "onnxruntime"):
        pytest.importorskip(name)
    for name, size in {"WIDTH": 32, "HEADS": 4, "LAYERS": 1, "WORDS": 50, "TOKENS": 60, "LENGTH": 8}.items():
        monkeypatch.setattr(service_models, name, size)
    contenders = ["pullback", "frozen", "onnxruntime"]
    service.prepare(model, contenders, tmp_path)
    answers = [service._ready(name, model, tmp_path, 0)() for name in contenders]
    for answer in answers[1:]:
        np.testing.assert_allclose(answer, answers[0], rtol=1e-3, atol=1e-5)


def test_figures_of_the_service_are_the_least_of_all_rounds_and_have_ratios() -> None:
    rounds = [dict.fromkeys(service.ROWS, 4.0), {**dict.fromkeys(service.ROWS, 6.0), "p50_us": 2.0}]
    figures = {"frozen": service.least(rounds), "torch": dict.fromkeys(service.ROWS, 8.0)}
    lines = service.table("cnn", figures)
    assert lines[:3] == [
        "| cnn | frozen | torch |", "|---|---:|---:|", "| start to first answer, s | 4 (0.50) | 8 |",
    ]  # fmt: skip
    assert "| latency, median, µs | 2 (0.25) | 8 |" in lines


def test_the_installed_size_counts_what_is_required() -> None:
    assert service.size_mb(("pullback",)) > service.size_mb(("numpy",)) > 1


def test_small_calls_are_found_among_the_public_functions() -> None:
    names = dict(small_calls._functions(pullback))
    assert {"softmax", "nn.functional.gelu", "linalg.inv", "Tensor.contiguous"} <= names.keys()
    assert not {"add_", "manual_seed", "save", "Tensor.backward"} & names.keys()
    known = small_calls._operands(pullback)
    for operands in small_calls.OPERANDS:
        given = [k for v in operands for k in (v if isinstance(v, list) else [v])]
        assert all(k in known for k in given if isinstance(k, str))


@pytest.mark.parametrize("text", ["x.topk(8, 1).values", "F.cross_entropy(x, labels)", "x[places]"])
def test_large_calls_run(text: str) -> None:
    names = [large_calls.label(*case) for case in large_calls.CASES]
    assert len(set(names)) == len(names)
    call, whole = large_calls.steps(pullback, text, dict(large_calls.CASES)[text])
    whole()
    assert call().requires_grad
