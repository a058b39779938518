"""Findings: none in sound programs; in a mistaken one the first names the line."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import pytest

import pullback as torch
from pullback import explain
from pullback.explain.answer import Answer
from tests.explain.mistakes.programs import sound

FOLDER = Path(__file__).parent
MARK = "# <-- culprit"


def findings_of(program: Path) -> list[Answer]:
    """What is found in a program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with explain.record() as recording:
            runpy.run_path(str(program))
    return recording.findings


def findings_of_torch(program: Path) -> list[Answer]:
    """What is found in a program that imports torch."""
    text = program.read_text().replace("import torch\n", "import pullback as torch\n")
    text = text.replace("from torch", "from pullback").replace("import torch.", "import pullback.")
    code = compile(text, program, "exec")
    with explain.record() as recording:
        exec(code, {"__name__": "__main__"})
    return recording.findings


@pytest.mark.parametrize("program", sorted((FOLDER / "sound").glob("*.py")), ids=lambda p: p.stem)
def test_nothing_is_found_in_a_sound_program(program: Path) -> None:
    assert findings_of(program) == []


@pytest.mark.parametrize("program", list(sound().values())[::3], ids=list(sound())[::3])
def test_nothing_certain_is_said_of_a_sound_program(program: Path) -> None:
    assert [found for found in findings_of_torch(program) if found.certain] == []


@pytest.mark.parametrize("program", sorted((FOLDER / "mistaken").glob("*.py")), ids=lambda p: p.stem)
def test_the_first_finding_names_the_line(program: Path) -> None:
    (line,) = [k for k, text in enumerate(program.read_text().splitlines(), 1) if text.endswith(MARK)]
    first, *others = findings_of(program)
    assert first.place is not None
    assert (first.place.file, first.place.line) == (str(program), line), first
    assert first.mend
    told = first.in_a_line()
    assert "\n" not in told
    assert told.startswith(f"{program.name}:{line}: ")
    assert all(found.place is not None for found in others if found.certain)


def test_a_watch_leaves_nothing_behind() -> None:
    kinds = (torch.Tensor, torch.nn.Module, torch.optim.Optimizer, torch.autograd.Function)
    before = {kind: dict(vars(kind)) for kind in kinds}
    with explain.record():
        torch.ones(2, requires_grad=True).sum().backward()
    for kind, members in before.items():
        assert dict(vars(kind)) == members


def test_copies_are_not_called_one_module() -> None:
    first = findings_of(FOLDER / "mistaken" / "copy_of_the_teacher.py")[0]
    assert "two modules with the same weights" in first.cause
    assert first.mend.startswith("start one of them from other weights")


def test_a_leaf_made_of_one_that_is_held_is_not_told_to_keep_its_history() -> None:
    (found,) = findings_of(FOLDER / "mistaken" / "latent_replaced_after_optimizer.py")
    assert "an optimizer holds" in found.cause
    assert "detach" not in found.mend


def test_gradients_that_ran_out_are_told_once() -> None:
    (found,) = findings_of(FOLDER / "mistaken" / "gradient_below_the_smallest_number.py")
    assert "vanishes on its way back through 60 sigmoids: 0 at" in found.cause


def test_a_prediction_made_a_leaf_is_not_told_for_a_replaced_one() -> None:
    (found,) = findings_of(FOLDER / "mistaken" / "prediction_made_a_leaf.py")
    assert "`net.weight`" in found.cause
    assert "leave `detach()` out" in found.mend


def test_a_derivative_without_history_is_told_by_what_computes_it() -> None:
    (found,) = findings_of(FOLDER / "mistaken" / "derivative_kept_in_ctx.py")
    assert "`ctx`" in found.cause
    assert "create_graph" not in found.mend


def test_a_copy_that_is_trained_is_no_teacher() -> None:
    found = findings_of(FOLDER / "mistaken" / "copy_trained_in_place_of_the_model.py")
    assert "make the optimizer of them, after this line" in found[0].mend
    assert not any("teacher" in answer.cause for answer in found)


@pytest.mark.parametrize(
    ("program", "cause"),
    [
        ("division_behind_where", "`where` at line 6 leaves it out going forward"),
        ("logarithm_times_mask", "The product with a mask at line 8 does not take it out"),
        ("descent_by_hand_diverges", "the updates are too large"),
        ("number_of_a_leaf", "No gradient reaches `mu`: `mu.item()` gives plain numbers"),
        ("second_derivative_of_relu", "the derivative that is taken here, which does not depend on it"),
    ],
)
def test_the_cause_is_told(program: str, cause: str) -> None:
    assert cause in findings_of(FOLDER / "mistaken" / f"{program}.py")[0].cause


def test_numbers_that_are_printed_are_no_cut(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""import pullback as torch
w, bound = torch.ones(2, requires_grad=True).unbind(), torch.tensor(3.0, requires_grad=True)
(w[0] - 2).square().backward()
print(bound.item())
""")
    assert findings_of(program) == []


def test_a_covector_of_zeros_without_a_where_is_not_told_for_one() -> None:
    v = torch.zeros(3, requires_grad=True)
    loss = (v.square().sum().sqrt() * v).sum()
    loss.backward(retain_graph=True)
    answer = explain.why_nan(v, loss)
    assert "infinite slope at 0" in answer.cause
    assert "torch.where" not in answer.mend


def test_values_that_are_infinite_are_not_told_to_be_clipped(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""import pullback as torch
w, u = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
((w @ u) * 1e30 * 1e30).sum().backward()
""")
    assert not any(found.kind == "exploding" for found in findings_of(program))
