"""The lines that made nodes, wrote to storages and freed graphs, as errors name them."""

from __future__ import annotations

import gc
import inspect
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback.core.blame import REMEMBERED, Place, change_at, changes, is_freed, place_of


def line(marker: str, function: Callable[..., Any]) -> int:
    """The number of the one line of a function that ends in a marker."""
    lines, first = inspect.getsourcelines(function)
    (found,) = [k for k, text in enumerate(lines, first) if text.rstrip().endswith(f"# {marker}")]
    return found


def note_of(error: pytest.ExceptionInfo[RuntimeError]) -> str:
    return "\n".join(error.value.__notes__)


def test_a_node_knows_its_line_and_expression() -> None:
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp()  # made
    place = place_of(y.grad_fn)
    assert place == Place(
        __file__, line("made", test_a_node_knows_its_line_and_expression),
        "test_a_node_knows_its_line_and_expression", "y = (x * 2).exp()  # made", "(x * 2).exp()",
    )  # fmt: skip
    inner = place_of(y.grad_fn.next_functions[0][0])
    assert inner is not None
    assert inner.expression == "x * 2"


def test_what_pullback_calls_itself_is_the_line_of_the_user() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Softplus())
    y = layer(torch.ones(1, 2))  # here
    node = y.grad_fn
    for _ in range(2):
        place = place_of(node)
        assert place is not None
        assert place.line == line("here", test_what_pullback_calls_itself_is_the_line_of_the_user)
        node = node.next_functions[0][0]


def test_the_end_at_a_leaf_has_no_line() -> None:
    x = torch.ones(3, requires_grad=True)
    assert place_of((x * 2).grad_fn.next_functions[0][0]) is None


def test_a_place_keeps_no_variables_alive() -> None:
    class Big:
        pass

    def made() -> tuple[Any, Any]:
        big = Big()
        y = torch.ones(3, requires_grad=True) * 2
        y.data.add_(1)
        return y, weakref.ref(big)

    y, reference = made()
    gc.collect()
    assert reference() is None
    assert y.requires_grad


def test_damage_names_both_lines() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()  # saved
    y.add_(1)  # changed
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        y.sum().backward()
    note = note_of(error)
    test = test_damage_names_both_lines
    assert f"saved at {__file__}:{line('saved', test)}" in note
    assert f"changed at {__file__}:{line('changed', test)}" in note
    assert "`y = y.add(1)`" in note


def test_damage_by_an_optimizer_names_the_step() -> None:
    layer = torch.nn.Linear(3, 3)
    optimizer = torch.optim.Adam(layer.parameters())
    loss = layer(layer(torch.ones(1, 3))).sum()
    layer(torch.ones(1, 3)).sum().backward()
    optimizer.step()  # step
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        loss.backward()
    assert f":{line('step', test_damage_by_an_optimizer_names_the_step)}" in note_of(error)


def test_damage_to_what_a_function_saved_names_both_lines() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = torch.ones(3, requires_grad=True)
    h = x * 1
    y = Square.apply(h)  # apply
    h.zero_()  # write
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        y.sum().backward()
    test = test_damage_to_what_a_function_saved_names_both_lines
    assert f":{line('apply', test)}" in note_of(error)
    assert f":{line('write', test)}" in note_of(error)


def test_writes_before_the_value_was_saved_are_not_named() -> None:
    h = torch.ones(3)
    h.mul_(2)  # before
    x = torch.ones(3, requires_grad=True)
    y = x * h
    h[0] = 5.0  # after
    (place,) = changes(h._counter, since=1)
    assert place.line == line("after", test_writes_before_the_value_was_saved_are_not_named)
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        y.sum().backward()
    assert "# before" not in note_of(error)


def test_a_loop_that_writes_from_one_line_is_one_change() -> None:
    h = torch.zeros(3)
    for _ in range(100):
        h.add_(1)
    assert len(changes(h._counter)) == 1
    assert change_at(h._counter, 57) == change_at(h._counter, 100)
    assert change_at(h._counter, 101) is None


def test_only_so_many_changes_are_remembered() -> None:
    h = torch.zeros(3)
    for _ in range(REMEMBERED):
        h.add_(1)
        h.mul_(2)
    assert len(changes(h._counter)) == REMEMBERED
    assert change_at(h._counter, 1) is None


def test_second_backward_says_where_the_first_was() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.sum().backward()  # first
    assert is_freed(y.grad_fn._saved)
    with pytest.raises(RuntimeError, match="a second time") as error:
        y.sum().backward()
    first = line("first", test_second_backward_says_where_the_first_was)
    assert f"first backward ran at {__file__}:{first}" in note_of(error)


def test_grad_and_function_backward_say_where_they_were_called() -> None:
    x = torch.ones(3, requires_grad=True)
    for run in (lambda y: torch.autograd.grad(y.sum(), x), lambda y: torch.autograd.backward(y.sum())):
        y = x.exp()
        run(y)
        with pytest.raises(RuntimeError, match="a second time") as error:
            run(y)
        assert f":{run.__code__.co_firstlineno}, in <lambda>" in note_of(error)


def test_the_line_that_gave_a_variable_its_value_is_no_comprehension() -> None:
    unused = torch.zeros(2, requires_grad=True)  # assigned
    y = torch.ones(2, requires_grad=True) * 2
    numbers = [-unused for unused in range(3)]  # puts the variable back, where it is no function of its own
    nested = [[-unused for unused in range(unused)] for unused in range(3)]
    with pytest.raises(RuntimeError) as caught:
        torch.autograd.grad(y.sum(), unused)
    assert len(numbers) == len(nested)
    here = test_the_line_that_gave_a_variable_its_value_is_no_comprehension
    assert f":{line('assigned', here)}" in note_of(caught)


def test_the_line_that_gave_two_variables_their_values() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    one, unused = y, torch.zeros(2, requires_grad=True)  # assigned
    with pytest.raises(RuntimeError) as caught:
        torch.autograd.grad(one.sum(), unused)
    assert f":{line('assigned', test_the_line_that_gave_two_variables_their_values)}" in note_of(caught)
