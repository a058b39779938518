"""Optimizers, samplers and statistics that are divided among two processes, or gathered from them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

import pullback

from .side_by_side import needs_mpi, run, run_in_torch, same


@pytest.fixture(scope="module")
def done() -> dict[str, Any]:
    """What the program printed, by rank."""
    return run("shared_state.py", "statistics")


@needs_mpi
def test_normalisation_is_that_of_the_whole_batch(done: dict[str, Any]) -> None:
    for rank in ("0", "1"):
        assert all(difference < 1e-12 for difference in done[rank]["statistics"].values()), done[rank]


@needs_mpi
def test_each_process_has_a_part_of_the_state(done: dict[str, Any]) -> None:
    (_, first, _, parameters, _), (_, second, kept, others, _) = (done[rank]["zero"] for rank in ("0", "1"))
    assert first == [[20, 6], [3, 20], [20], [3]]
    assert second == [[20], [20, 20]]
    assert kept[0] == [0, 1, 2, 3, 4, 5]
    assert parameters == others


@needs_mpi
def test_each_process_has_its_samples(done: dict[str, Any]) -> None:
    for (first, count, _), (second, _, _) in zip(done["0"]["samples"], done["1"]["samples"], strict=True):
        given = [n for batch in first + second for n in batch]
        assert len(given) == 2 * count
        assert len(set(given)) == min(23, 2 * count)


@needs_mpi
@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_all_is_as_in_torch(done: dict[str, Any]) -> None:
    expected = run_in_torch("shared_state.py")
    for rank in ("0", "1"):
        for name, there in expected[rank].items():
            assert same(done[rank][name], there, 2e-6), (rank, name, done[rank][name], there)


@pytest.mark.skipif(find_spec("torch") is None, reason="compares with torch")
def test_samples_are_those_of_torch() -> None:
    import torch

    for size in (1, 2, 5, 16, 33):
        for replicas in (1, 2, 3, 7):
            for drop in (False, True):
                for shuffle in (False, True):
                    for rank in range(replicas):
                        here, there = (
                            t.utils.data.DistributedSampler(
                                range(size), replicas, rank, shuffle=shuffle, seed=5, drop_last=drop
                            )
                            for t in (pullback, torch)
                        )
                        here.set_epoch(3)
                        there.set_epoch(3)
                        assert (list(here), len(here)) == (list(there), len(there))
