"""What all tests share: one BLAS thread and hypothesis without deadlines."""

from __future__ import annotations

import os

# Two workers of pytest-xdist on two cores lose more to each other's BLAS threads than they gain. Set before
# NumPy loads.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from hypothesis import settings  # noqa: E402  # after the variables above

# No deadline: a shared machine stalls. In CI the examples are the same in every run, so a change that did not
# touch a test cannot turn it red; on a developer's machine they vary.
settings.register_profile("pullback", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("pullback")
