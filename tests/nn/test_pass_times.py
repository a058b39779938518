"""The times of a parallel module's passes: which passes are taken, and what follows from their moments."""

from __future__ import annotations

import pytest

from pullback.nn.parallel.pass_times import PassTimes


def passes(times: PassTimes, count: int) -> list[int]:
    """Let passes of known moments go by; return which was taken last after each forward has begun."""
    taken = []
    for number in range(count):
        times.begin_forward(number)
        taken.append(times.data["iteration"])
        times.forward_start, times.backward_start, times.backward_end = 10, 30, 70 + number
        times.exchange_start, times.exchange_end = 40, 90
    return taken


def test_the_first_ten_and_then_samples_are_taken() -> None:
    times = PassTimes()
    times.sample_rate = 4
    assert passes(times, 14) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 12]


def test_durations_and_their_means() -> None:
    times = PassTimes()
    passes(times, 3)
    assert times.data["forward_compute_time"] == 20
    assert times.data["backward_compute_time"] == 41
    assert times.data["backward_comm_time"] == 50
    assert times.data["backward_compute_comm_overlap_time"] == 31
    assert times.data["avg_backward_compute_time"] == pytest.approx(40.5, abs=0.5)
    assert times.data["backward_comm_time_start"] == 40
