"""The questions about gradients: what they answer where nothing is wrong, and that asking changes nothing."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback import explain, nn


def test_nothing_is_wrong() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    assert explain.why_none(x).kind == "has a gradient"
    assert explain.why_zero(x).kind == "not zero"
    assert explain.why_nan(x).kind == "finite"
    assert explain.why_nan(loss).kind == "finite"


@pytest.mark.parametrize("question", [explain.why_none, explain.why_zero, explain.why_nan, explain.why_error])
def test_another_type_is_refused(question: Any) -> None:
    with pytest.raises(TypeError, match=question.__name__):
        question("x")


def test_an_answer_prints_in_words() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.sum().backward()
    answer = explain.why_none(h)
    assert not answer.certain
    assert answer.place is not None
    text = str(answer)
    assert text.startswith("h is the result of an op (MulBackward0)")
    place = f"{__file__}:{answer.place.line}, in test_an_answer_prints_in_words: h = x * 2"
    assert f"likely where: {place}" in text
    assert "mend: call `h.retain_grad()`" in text


def test_asking_changes_nothing() -> None:
    torch.manual_seed(0)
    w = torch.randn(3, requires_grad=True)
    calls: list[Any] = []
    w.register_hook(calls.append)
    h = torch.relu(w * torch.zeros(3) - 1)
    loss = h.sum() + torch.log(torch.relu(w) * 0).sum() * 0
    before = torch.get_rng_state()
    versions = w._version, h._version
    explain.why_zero(w, loss)
    explain.why_nan(loss)
    explain.why_none(w, loss)
    assert not calls
    assert w.grad is None
    assert (w._version, h._version) == versions
    assert torch.equal(torch.get_rng_state(), before)
    loss.backward()  # the graph is still there
    assert len(calls) == 1


def test_values_that_backward_freed_are_worked_out_anew() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)

    def loss_of(x: Any) -> Any:
        return torch.sqrt(x * x).sum()

    loss = loss_of(x)
    loss.backward()
    answer = explain.why_nan(x)
    assert answer.kind == "square root at 0"
    assert answer.certain
    assert answer.place is not None
    assert answer.place.code == "return torch.sqrt(x * x).sum()"


def test_where_values_are_gone_the_answer_is_how_to_ask() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)

    def loss_of(x: Any) -> Any:
        return ((x - 1.0 + 1.0) ** 0.5).sum()

    loss = loss_of(x)
    loss.backward()
    answer = explain.why_nan(x)
    assert not answer.certain
    assert answer.kind == "values are gone"
    assert answer.place is None
    assert "retain_graph=True" in answer.mend
    assert "explain.record()" in answer.mend


def test_a_recording_keeps_the_answers() -> None:
    x = torch.tensor([0.0, 4.0], requires_grad=True)

    def loss_of(x: Any) -> Any:
        return ((x - 1.0 + 1.0) ** 0.5).sum()

    with explain.record():
        loss_of(x).backward()
        answer = explain.why_nan(x)
    assert answer.certain
    assert answer.kind == "power at 0"
    assert answer.place is not None
    assert answer.place.code == "return ((x - 1.0 + 1.0) ** 0.5).sum()"


def test_ways_that_cancel() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    loss = (y - y).sum()  # here
    answer = explain.why_zero(x, loss)
    assert answer.kind == "cancelled"
    assert answer.place is not None
    assert answer.place.code.endswith("# here")


def test_the_way_of_a_leaf_decides_not_another_that_ends() -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.relu(w - 100) + 1.0  # here
    loss = (y.log() + y).sum() + (y - y).norm()  # the norm sends 0, and the log does not
    answer = explain.why_zero(w, loss)
    assert answer.kind == "dead relu"
    assert answer.place is not None
    assert answer.place.code.endswith("# here")


def test_a_function_of_the_user_that_returns_zeros_is_named() -> None:
    class Gate(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clamp(0, 1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 0

    x = torch.tensor([0.5, 2.0], requires_grad=True)
    answer = explain.why_zero(x, Gate.apply(x * 2).sum())
    assert answer.kind == "own backward"
    assert answer.cause == "The `backward` of `Gate` returned zeros."


def test_elements_that_are_zero_in_places() -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    h = torch.relu(x)  # here
    loss = (h * 3).sum()
    loss.backward(retain_graph=True)
    answer = explain.why_zero(x)
    assert answer.cause.startswith("1 of 2 elements")
    assert answer.place is not None
    assert answer.place.code.endswith("# here")


def test_a_cut_in_a_function_is_only_suspected() -> None:
    def inner(h: Any) -> Any:
        return torch.exp(h.detach())  # here

    w = torch.ones(2, requires_grad=True)
    b = torch.ones(2, requires_grad=True)
    loss = (inner(w) * b).sum()
    loss.backward()
    answer = explain.why_none(w)
    assert not answer.certain
    assert answer.place is not None
    assert answer.place.code.endswith("# here")


def test_a_target_that_is_detached_is_not_blamed() -> None:
    """The detached branch is meant; what is missing is another thing."""
    w = torch.ones(2, requires_grad=True)
    v = torch.ones(2, requires_grad=True)
    target = (w * 2).detach()
    lost = torch.tensor(v.tolist())  # here
    loss = ((w - target) * lost).sum()
    loss.backward()
    answer = explain.why_none(v)
    assert answer.place is not None
    assert answer.place.code.endswith("# here")


def test_an_unknown_error_is_passed_on() -> None:
    with pytest.raises(ValueError, match="something") as caught:
        raise ValueError("something else")
    answer = explain.why_error(caught.value)
    assert answer.kind == "other error"
    assert not answer.certain
    assert answer.place is not None
    assert "something else" in answer.cause


def test_a_layer_that_is_assigned_before_the_constructor_has_run() -> None:
    class Late(torch.nn.Module):
        def __init__(self) -> None:
            self.layer = torch.nn.Linear(2, 2)  # here
            super().__init__()

    with pytest.raises(AttributeError, match="before Module.__init__") as caught:
        Late()
    answer = explain.why_error(caught.value)
    assert answer.place is not None
    assert answer.place.code.endswith("# here")
    assert "super().__init__()" in answer.mend


def test_the_notes_of_errors() -> None:
    x = torch.ones(2, requires_grad=True)
    unused = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="scalar outputs") as vector:
        (x * 2).backward()
    note = "\n".join(vector.value.__notes__)
    for choice in ("shape [2]", "y.sum().backward()", "y.mean().backward()", "y.backward(v)"):
        assert choice in note
    with pytest.raises(RuntimeError, match="not have been used in the graph") as missing:
        torch.autograd.grad((x * 2).sum(), [x, unused])
    note = "\n".join(missing.value.__notes__)
    assert "It is `unused`" in note
    assert "unused = torch.ones(3, requires_grad=True)" in note


def test_the_name_of_an_unused_parameter() -> None:
    layer = torch.nn.Linear(2, 2)
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="not have been used") as missing:
        torch.autograd.grad(x.sum(), layer.weight)
    assert "It is `layer.weight`" in missing.value.__notes__[0]


def test_a_step_of_the_optimizer_does_not_mislead() -> None:
    """The weights are others than those that the graph was computed from."""
    w = torch.tensor([0.0, 2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    loss = torch.sqrt(w * w).sum()
    loss.backward()
    optimizer.step()
    answer = explain.why_nan(w)
    assert not answer.certain
    assert answer.place is None
    assert loss.grad_fn is not None


def test_a_function_that_is_called_step_is_no_optimizer() -> None:
    def step() -> None:
        """Do nothing."""

    w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    h = (w * 2).exp()
    a = (h * v).sum()
    a.backward()
    step()
    b = (h * h).sum()
    with pytest.raises(RuntimeError, match="second time") as caught:
        b.backward()
    assert "Two calls of backward go through the same graph, that of `h`" in str(caught.value.__notes__)


def test_a_leaf_that_is_used_nowhere_was_not_replaced() -> None:
    x = torch.ones(2, requires_grad=True)
    loss = (x * 2).sum()
    loss.backward()
    other = torch.ones(2, requires_grad=True)
    assert explain.why_none(other).kind == "not reached"


def test_the_relu_of_a_model_is_found_in_a_recording_and_not_guessed_without() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    with torch.no_grad():
        model[0].bias.fill_(-100)
    x = torch.randn(5, 4)
    loss = model(x).mean()
    loss.backward()
    assert explain.why_zero(model[0].weight).kind == "values are gone"
    with explain.record() as recording:
        model(x).mean().backward()
        assert explain.why_zero(model[0].weight).kind == "dead relu"
    assert recording.findings[0].kind == "dead relu"


def test_rows_of_a_table_that_are_not_used() -> None:
    table = torch.nn.Embedding(5, 2)
    loss = table(torch.tensor([1, 2])).sum()  # here
    loss.backward()
    answer = explain.why_zero(table.weight)
    assert answer.kind == "not selected"
    assert answer.place is not None
    assert answer.place.code.endswith("# here")


def test_a_member_that_is_not_used_is_not_said_to_lose_its_history() -> None:
    layers = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.Linear(2, 2)})
    loss = layers["a"](torch.ones(1, 2)).sum()
    loss.backward()
    answer = explain.why_none(layers["b"].weight)
    assert "leads back to other members of `layers`, not to this one" in answer.cause
    assert answer.mend.startswith("use it in the forward pass")


def test_a_covector_is_missing_for_what_backward_was_called_on() -> None:
    w = torch.ones(2, 3, requires_grad=True)
    doubled = w * 2
    with pytest.raises(RuntimeError) as caught:
        doubled.sum(0).backward()
    assert "backward was called on `doubled.sum(0)`, more than" in explain.why_error(caught.value).cause
    with pytest.raises(RuntimeError) as caught:
        doubled.backward()
    assert "backward was called on `doubled` of shape (2, 3), more" in explain.why_error(caught.value).cause


@pytest.mark.parametrize(
    ("write", "mend"),
    [
        ("y.mul_(0.9).add_(0.1)", "`y = y.mul(0.9).add(0.1)`"),
        ("y.add_(torch.ones(2, 2), alpha=2)", "`y = y.add(torch.ones(2, 2), alpha=2)`"),
        ("y[0].mul_(2)", "write to a copy: `y = y.clone()` before the line"),
        ("y.view(-1).mul_(2)", "make a new tensor, `y.view(-1).mul(2)`, and compute with that"),
    ],
)
def test_the_mend_of_a_write_can_be_written(write: str, mend: str, tmp_path: Any) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"def run(x, torch):\n    y = x.exp()\n    {write}\n    y.sum().backward()\n")
    variables: dict[str, Any] = {}
    exec(compile(program.read_text(), str(program), "exec"), variables)
    with pytest.raises(RuntimeError, match="inplace operation") as caught:
        variables["run"](torch.ones(2, 2, requires_grad=True), torch)
    assert mend in explain.why_error(caught.value).mend


def test_what_the_constructor_computed_is_not_said_to_need_a_detach() -> None:
    class Normalised(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = nn.Parameter(torch.ones(2))
            self.w = self.v / self.v.norm()

    model = Normalised()
    (model.w * 2).square().sum().backward()
    with pytest.raises(RuntimeError, match="second time") as caught:
        (model.w * 2).square().sum().backward()
    answer = explain.why_error(caught.value)
    assert answer.cause.startswith("`model.w` is computed once, in the constructor")
    assert "compute it anew in each call of `forward`" in answer.mend


def test_an_infinity_whose_input_is_not_known_is_not_said_to_overflow() -> None:
    x = torch.zeros(2, requires_grad=True)
    loss = (1 / (x * 1)).sum()
    loss.backward()
    answer = explain.why_nan(loss)
    assert answer.kind != "overflow"


def test_errors_of_ops_without_a_derivative_and_of_matrices() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="floor_divide") as caught:
        (x // 2).sum().backward()
    assert explain.why_error(caught.value).kind == "no derivative of an op"
    with pytest.raises(RuntimeError, match="positive-definite") as singular:
        torch.linalg.cholesky(x - 1)
    assert explain.why_error(singular.value).kind == "not positive definite"


@pytest.mark.parametrize(
    ("program", "cause"),
    [
        ("none_custom_function_returns_none", "the way goes through `Scale`"),
        ("none_update_then_requires_grad", "w was given a new tensor after loss was computed"),
        ("none_computed_with_a_copy", "makes a copy with leaves of its own"),
        ("none_sample_in_place_of_rsample", "draws without recording"),
        ("none_reentrant_checkpoint", "records only where an input requires grad"),
        ("error_column_taken_beside_the_way", "u was computed from `x`, and not from t"),
        ("error_statistics_written_in_a_row", "`mean`, which the derivative needs, was written over"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_cause_of_a_program_in_bugs(program: str, cause: str) -> None:
    variables = runpy.run_path(str(Path(__file__).parent / "bugs" / f"{program}.py"))
    assert cause in variables["answer"].cause


@pytest.mark.parametrize("whole", [False, True])
def test_a_write_through_data_is_named(whole: bool) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    held = torch.zeros(2)
    if whole:
        held.data = x * 2
    else:
        held.data[0] = (x * 2).sum()
    with pytest.raises(RuntimeError) as raised:
        held.sum().backward()
    answer = explain.why_error(raised.value)
    assert answer.kind == ".data"
    assert "`.data`" in answer.mend
