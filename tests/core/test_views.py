"""Views and in-place updates: against a functional model of the same program, and torch's rules and
errors."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pullback as torch
from pullback.autograd.grad_mode import inference_mode, no_grad
from pullback.core.node import LEAF
from pullback.core.value import wrap

LEAF_SHAPE = (2, 3)


def chain(node: Any) -> list[str]:
    """Names of the nodes along first edges."""
    names = []
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return names


def leaf(value: Any = None) -> Any:
    array = np.arange(6.0).reshape(LEAF_SHAPE) if value is None else np.asarray(value)
    return wrap(array.copy(), LEAF)


# --- the model ----------------------------------------------------------------------------------------------


@dataclass
class Storage:
    """The elements of one storage, never written to: an update makes new arrays. `jacobian` is their
    derivative with
    respect to the elements of the leaf."""

    values: np.ndarray
    jacobian: np.ndarray


@dataclass
class Modelled:
    """A tensor of the model: the places of its elements in a storage."""

    storage: Storage
    places: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.places.shape

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        return self.storage.values[self.places], self.storage.jacobian[self.places]

    def write(self, values: np.ndarray, jacobian: np.ndarray | None) -> None:
        new = self.storage.values.copy()
        new[self.places] = values
        self.storage.values = new
        if jacobian is not None:
            new = self.storage.jacobian.copy()
            new[self.places] = jacobian
            self.storage.jacobian = new


def fresh(values: np.ndarray, jacobian: np.ndarray) -> Modelled:
    count = jacobian.shape[-1]
    return Modelled(
        Storage(values.ravel(), jacobian.reshape(-1, count)), np.arange(values.size).reshape(values.shape)
    )


@dataclass
class Live:
    """A tensor of the program beside its model."""

    tensor: Any
    model: Modelled
    writable: bool = True


Draw = Callable[[int, int], int]


@dataclass
class Program:
    """Runs random steps on pullback's tensors and on the model at once.

    `draw(a, b)` gives an integer from a to b, so that a recorded list of draws repeats the program on other
    inputs.
    """

    draw: Draw
    x: Any
    live: list[Live] = field(default_factory=list)
    unrecorded: bool = (
        True  # whether to write in no_grad, too: values that finite differences see and derivatives do not
    )

    def run(self, steps: int) -> Any:
        values = self.x.detach()._value
        model = fresh(values * 1.0, np.eye(values.size).reshape(*values.shape, -1))
        self.live.append(Live(self.x * 1.0, model))
        for _ in range(steps):
            step = (
                self.view,
                self.view,
                self.parts,
                self.update,
                self.update,
                self.silent,
                self.fresh,
                self.rearrange,
            )
            step[self.draw(0, len(step) - 1)]()
        return self

    def pick(self) -> Live:
        return self.live[self.draw(0, len(self.live) - 1)]

    def view(self) -> None:
        one = self.pick()
        t, places = one.tensor, one.model.places
        rank = places.ndim
        dim = self.draw(0, rank - 1) if rank else 0
        kind = self.draw(0, 9)
        if kind == 0 and rank and places.shape[dim]:
            i = self.draw(0, places.shape[dim] - 1)
            t, places = t.select(dim, i), np.take(places, i, dim)
        elif kind == 1 and rank:
            start = self.draw(0, places.shape[dim])
            length = self.draw(0, places.shape[dim] - start)
            t = t.narrow(dim, start, length)
            places = np.take(places, range(start, start + length), dim)
        elif kind == 2 and rank:
            other = self.draw(0, rank - 1)
            t, places = t.transpose(dim, other), places.swapaxes(dim, other)
        elif kind == 3 and rank < 4:
            dim = self.draw(0, rank)
            t, places = t.unsqueeze(dim), np.expand_dims(places, dim)
        elif kind == 4:
            t, places = t.squeeze(), places.squeeze()
        elif kind == 5 and rank < 4:
            n = self.draw(1, 2)
            t, places = t.expand(n, *places.shape), np.broadcast_to(places, (n, *places.shape))
        elif kind == 6 and rank >= 2:
            offset = self.draw(-1, 1)
            t, places = t.diagonal(offset), np.diagonal(places, offset)
        elif kind == 7 and t.is_contiguous():
            t, places = t.view(-1) if places.size else t.view(0), places.reshape(-1)
        elif kind == 8 and rank and places.shape[dim]:
            size = self.draw(1, places.shape[dim])
            t = t.unfold(dim, size, 1)
            places = np.lib.stride_tricks.sliding_window_view(places, size, dim)
        elif kind == 9 and t.is_contiguous() and t.numel() > 0 and len(np.unique(places)) == places.size:
            size, stride, offset = self.draw(1, 2), self.draw(0, 2), t.storage_offset()
            if (size - 1) * stride < t.numel():
                t, places = t.as_strided((size,), (stride,), offset), places.ravel()[np.arange(size) * stride]
        if t is not one.tensor:
            self.live.append(Live(t, Modelled(one.model.storage, places), one.writable))

    def parts(self) -> None:
        one = self.pick()
        places = one.model.places
        if not places.ndim or not places.shape[0]:
            return
        if self.draw(0, 1):
            tensors: Any = one.tensor.unbind()
            models = list(places)
        else:
            tensors = one.tensor.split(2)
            models = [places[i : i + 2] for i in range(0, places.shape[0], 2)]
        k = self.draw(0, len(models) - 1)
        self.live.append(Live(tensors[k], Modelled(one.model.storage, np.asarray(models[k])), False))

    def written(self, to: Modelled) -> None:
        """After a write: views from several outputs are lost, what else shares the storage is not."""
        lost = [one for one in self.live if one.model.storage is to.storage and not one.writable]
        for one in lost:
            with pytest.raises(RuntimeError, match="its base or another view of its base has been modified"):
                one.tensor.sin()
        self.live = [one for one in self.live if not any(one is gone for gone in lost)]

    def update(self) -> None:
        one = self.pick()
        places = one.model.places
        values, jacobian = one.model.read()
        if not one.writable:
            with pytest.raises(RuntimeError, match="returns multiple views"):
                one.tensor.mul_(2.0)
            return
        if places.size and 0 in one.tensor.stride() and any(
            s == 0 and n > 1 for s, n in zip(one.tensor.stride(), places.shape, strict=True)
        ):
            with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
                one.tensor.mul_(2.0)
            return
        if len(np.unique(places)) != places.size:
            return  # windows that overlap: torch, too, does not see it
        kind = self.draw(0, 2)
        if kind == 0:
            one.tensor.mul_(-0.75)
            one.model.write(values * -0.75, jacobian * -0.75)
        elif kind == 1:
            one.tensor.sin_()  # saves a copy of what it overwrites, so that later writes do not disturb it
            one.model.write(np.sin(values), np.cos(values)[..., None] * jacobian)
        else:
            fitting = [
                o
                for o in self.live
                if o.model.shape == ()
                or o.model.shape == one.model.shape[len(one.model.shape) - len(o.model.shape) :]
            ]
            other = fitting[self.draw(0, len(fitting) - 1)]
            v, j = other.model.read()
            one.tensor.mul_(other.tensor * 0.5)
            one.model.write(values * v / 2, (jacobian * v[..., None] + values[..., None] * j) / 2)
        self.written(one.model)

    def silent(self) -> None:
        one = self.pick()
        if not self.unrecorded or len(np.unique(one.model.places)) != one.model.places.size:
            return
        with no_grad():
            one.tensor.mul_(0.5)
        one.model.write(one.model.read()[0] * 0.5, None)
        self.written(one.model)

    def fresh(self) -> None:
        one = self.pick()
        values, jacobian = one.model.read()
        self.live.append(Live(one.tensor * 0.25, fresh(values * 0.25, jacobian * 0.25)))

    def rearrange(self) -> None:
        one = self.pick()
        if not one.writable:
            return
        rank = one.model.places.ndim
        if self.draw(0, 1) and rank:
            a, b = self.draw(0, rank - 1), self.draw(0, rank - 1)
            one.tensor.transpose_(a, b)
            one.model.places = one.model.places.swapaxes(a, b)
        elif self.draw(0, 1) and rank < 4:
            dim = self.draw(0, rank)
            one.tensor.unsqueeze_(dim)
            one.model.places = np.expand_dims(one.model.places, dim)
        else:
            one.tensor.squeeze_()
            one.model.places = one.model.places.squeeze()
        self.written(one.model)

    def loss(self) -> tuple[Any, np.ndarray]:
        """A weighted sum of all live tensors, and its gradient by the model."""
        total: Any = None
        gradient = np.zeros(self.x.numel())
        for k, one in enumerate(self.live):
            weights = np.cos(np.arange(one.model.places.size) + k).reshape(one.model.shape)
            values, jacobian = one.model.read()
            np.testing.assert_allclose(one.tensor.detach()._value, values, rtol=1e-12, atol=1e-12)
            part = (one.tensor * wrap(weights)).sum()
            total = part if total is None else total + part
            gradient += np.tensordot(weights, jacobian, weights.ndim)
        return total, gradient.reshape(LEAF_SHAPE)


class Repeated:
    """Draws that can be drawn again."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.drawn: list[int] = []

    def __call__(self, low: int, high: int) -> int:
        value = self.data.draw(st.integers(low, high))
        self.drawn.append(value)
        return int(value)

    def again(self) -> Draw:
        values = iter(self.drawn)
        return lambda low, high: next(values)


START = np.array([[0.3, -1.2, 0.7], [1.9, -0.4, 0.9]])


@settings(max_examples=150)
@given(st.data(), st.integers(1, 12))
def test_programs_of_views_and_updates_against_a_functional_model(data: Any, steps: int) -> None:
    x = leaf(START)
    loss, gradient = Program(Repeated(data), x).run(steps).loss()
    loss.backward()
    np.testing.assert_allclose(x.grad._value, gradient, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@settings(max_examples=60)
@given(st.data(), st.integers(1, 9))
def test_second_derivatives_of_programs(data: Any, steps: int) -> None:
    draws = Repeated(data)
    x = leaf(START)
    loss, _ = Program(draws, x, unrecorded=False).run(steps).loss()
    loss.backward(create_graph=True)
    first = x.grad
    if not first.requires_grad:
        return
    x.grad = None
    weights = np.sin(1 + np.arange(6.0)).reshape(LEAF_SHAPE)
    (first * wrap(weights)).sum().backward()
    second = np.zeros(LEAF_SHAPE) if x.grad is None else x.grad._value

    def slope(at: np.ndarray) -> float:
        return float(
            np.sum(weights * Program(draws.again(), leaf(at), unrecorded=False).run(steps).loss()[1])
        )

    numeric = np.zeros(LEAF_SHAPE)
    step = 1e-5
    for place in np.ndindex(LEAF_SHAPE):
        e = np.zeros(LEAF_SHAPE)
        e[place] = step
        numeric[place] = (slope(START + e) - slope(START - e)) / (2 * step)
    np.testing.assert_allclose(second, numeric, rtol=1e-4, atol=1e-4)


# --- torch's rules ------------------------------------------------------------------------------------------


def test_a_write_through_a_view_gives_the_base_a_copy_slices_node() -> None:
    base = leaf() * 1
    view = base.select(0, 0)
    view.mul_(2.0)
    assert chain(base.grad_fn) == ["CopySlices", "MulBackward0", "AccumulateGrad"]
    assert chain(view.grad_fn) == ["AsStridedBackward0", "CopySlices", "MulBackward0", "AccumulateGrad"]


def test_a_view_of_a_base_that_was_written_to_replays() -> None:
    base = leaf() * 1
    flat = base.view(6)
    assert chain(flat.grad_fn) == ["ViewBackward0", "MulBackward0", "AccumulateGrad"]
    base.mul_(2.0)
    assert chain(flat.grad_fn) == ["AsStridedBackward0", "MulBackward0", "MulBackward0", "AccumulateGrad"]


def test_pairs_of_a_complex_base_replay_as_themselves() -> None:
    base = leaf(np.array([1 + 2j, 3 - 1j])) * 1
    pairs = torch.view_as_real(base)
    base.mul_(2.0)
    assert chain(pairs.grad_fn) == ["ViewAsRealBackward0", "MulBackward0", "MulBackward0", "AccumulateGrad"]


def test_versions_are_shared_by_views_and_detached_tensors_but_not_by_data() -> None:
    base = leaf() * 1
    view, detached, data = base.t(), base.detach(), base.data
    view.mul_(2.0)
    detached.mul_(2.0)
    assert [t._version for t in (base, view, detached, data)] == [2, 2, 2, 0]
    data.mul_(2.0)
    assert [t._version for t in (base, data)] == [2, 1]


def test_base_and_is_view() -> None:
    base = leaf() * 1
    view = base.t().select(0, 0)
    assert view._base is base and view._is_view() and not base._is_view()
    assert base._base is None
    assert not base.detach()._is_view()
    assert not base.view(torch.int64)._is_view()


@pytest.mark.parametrize("take", [lambda b: b.unbind()[1], lambda b: b.split(1)[1], lambda b: b.chunk(2)[1]])
def test_views_from_several_outputs_are_not_written_to(take: Callable[[Any], Any]) -> None:
    view = take(leaf() * 1)
    maker = type(view.grad_fn).__name__.removesuffix("Backward0")
    expected = (
        f"Output 1 of {maker} is a view and is being modified inplace. This view is the output of a function "
        "that returns multiple views. Such functions do not allow the output views to be modified inplace. "
        "You should "
        "replace the inplace operation by an out-of-place one."
    )
    with pytest.raises(RuntimeError) as caught:
        view.mul_(2.0)
    assert str(caught.value) == expected
    with no_grad():
        view.mul_(2.0)


def test_views_made_without_recording_are_not_written_to_with_it() -> None:
    base = leaf() * 1
    with no_grad():
        view = base.select(0, 0)
    with pytest.raises(
        RuntimeError, match="^A view was created in no_grad mode and is being modified inplace with grad"
    ):
        view.mul_(base.select(0, 1))


def test_leaves_and_views_of_leaves_are_not_written_to() -> None:
    x = leaf()
    with pytest.raises(
        RuntimeError, match="^a leaf Variable that requires grad is being used in an in-place operation."
    ):
        x.mul_(2.0)
    with pytest.raises(
        RuntimeError, match="^a view of a leaf Variable that requires grad is being used in an in-place"
    ):
        x.select(0, 0).mul_(2.0)
    with pytest.raises(RuntimeError, match="^a leaf Variable"):
        x.t_()
    with pytest.raises(RuntimeError, match="^a view of a leaf Variable"):
        x.select(0, 0).unsqueeze_(0)
    with no_grad():
        x.select(0, 0).mul_(2.0)
    assert x.tolist() == [[0.0, 2.0, 4.0], [3.0, 4.0, 5.0]]
    assert x.requires_grad and x.is_leaf


def test_expanded_tensors_are_not_written_to() -> None:
    with pytest.raises(
        RuntimeError, match="^unsupported operation: more than one element of the written-to tensor"
    ):
        torch.ones(1, 2).expand(3, 2).mul_(2.0)
    x = torch.ones(2, 1)
    x.expand(2, 3).select(1, 2).mul_(2.0)
    assert x.tolist() == [[2.0], [2.0]]


def test_inference_tensors_are_not_written_to_outside() -> None:
    with inference_mode():
        x = torch.ones(2) * 1
        view = x.view(2, 1)
        view.mul_(2.0)
    with pytest.raises(
        RuntimeError, match="^Inplace update to inference tensor outside InferenceMode is not allowed"
    ):
        view.mul_(2.0)


def test_a_saved_value_modified_through_a_view_is_noticed() -> None:
    x = leaf()
    y = x * 1
    z = y * y
    y.select(0, 0).mul_(2.0)
    with pytest.raises(
        RuntimeError, match=r"modified by an inplace operation: \[torch.DoubleTensor \[2, 3\]\]"
    ):
        z.sum().backward()


def test_an_update_of_a_base_without_history_starts_one() -> None:
    w = leaf(np.array([1.0, 2.0, 3.0]))
    base = torch.zeros(2, 3, dtype=torch.float64)
    first, second = base.select(0, 0), base.select(0, 1)
    first.add_(w)
    assert base.requires_grad and second.requires_grad
    (base * wrap(np.arange(6.0).reshape(2, 3))).sum().backward()
    assert w.grad.tolist() == [0.0, 1.0, 2.0]


def test_a_view_of_such_a_base_is_no_out_argument() -> None:
    base, factor = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0], requires_grad=True)
    view, beside = base[:1], base.detach()[1:]
    base.mul_(factor)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.exp(torch.tensor([1.0]), out=view)
    assert torch.add(torch.tensor([1.0]), 1, out=beside) is beside
    assert base.tolist() == [3.0, 2.0]


def test_views_of_a_rearranged_base_keep_their_elements() -> None:
    base = leaf() * 1
    row = base.select(0, 1)
    base.t_()
    assert chain(base.grad_fn) == ["TBackward1", "MulBackward0", "AccumulateGrad"]
    assert chain(row.grad_fn) == ["AsStridedBackward0", "TBackward1", "MulBackward0", "AccumulateGrad"]
    row.mul_(10.0)
    assert base.tolist() == [[0.0, 30.0], [1.0, 40.0], [2.0, 50.0]]
    assert (base.shape, base.stride(), base._version) == ((3, 2), (1, 3), 2)


def test_a_rearranged_view_still_writes_to_its_base() -> None:
    base = leaf() * 1
    view = base.view(3, 2)
    view.t_()
    assert chain(base.grad_fn) == ["MulBackward0", "AccumulateGrad"]
    view.mul_(2.0)
    assert chain(base.grad_fn) == ["CopySlices", "MulBackward0", "AccumulateGrad"]
    assert base.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


def test_views_of_bases_that_are_not_contiguous() -> None:
    x = leaf()
    base = x.t().clone()
    assert base.stride() == (1, 3)
    flat = base.t().view(6)
    flat.mul_(2.0)
    base.sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_a_graph_with_views_is_freed_without_the_collector() -> None:
    gc.disable()
    try:
        base = leaf() * 1
        view = base.select(0, 0)
        view.mul_(2.0)
        probes = [weakref.ref(base), weakref.ref(view)]
        del base, view
        assert [p() for p in probes] == [None, None]
    finally:
        gc.enable()
