"""Measure the times of a parallel module's passes, for the data that programs ask for.

As in torch, each forward takes the times of the pass before it: of the first ten, and of every hundredth
afterwards. All are nanoseconds; moments are those of `time.time_ns`.
"""

from time import time_ns

#: Passes at the beginning that are all taken.
FIRST = 10


class PassTimes:
    """Moments of the pass that is under way, and durations of those that were taken."""

    def __init__(self) -> None:
        self.sample_rate = 100
        self.forward_start = self.backward_start = self.backward_end = 0
        self.exchange_start = self.exchange_end = 0
        self._taken = 0
        self._totals: dict[str, int] = {}
        self.data: dict[str, int] = {"iteration": 0}

    def begin_forward(self, passes: int) -> None:
        """Take the times of the pass before, the `passes`-th, where it is one that is taken."""
        if self.exchange_end and (passes < FIRST or passes % self.sample_rate == 0):
            self._take(passes)
        self.exchange_start = self.exchange_end = 0
        self.forward_start = time_ns()

    def _take(self, passes: int) -> None:
        durations = {
            "forward_compute_time": self.backward_start - self.forward_start,
            "backward_compute_time": self.backward_end - self.backward_start,
            "backward_comm_time": self.exchange_end - self.exchange_start,
            "backward_compute_comm_overlap_time": self.backward_end - self.exchange_start,
        }
        self._taken += 1
        for name, value in durations.items():
            self._totals[name] = self._totals.get(name, 0) + value
        self.data = {
            **durations,
            **{f"avg_{name}": total // self._taken for name, total in self._totals.items()},
            "forward_compute_time_start": self.forward_start,
            "backward_compute_time_start": self.backward_start,
            "backward_compute_time_end": self.backward_end,
            "backward_comm_time_start": self.exchange_start,
            "backward_comm_time_end": self.exchange_end,
            "iteration": passes,
        }
