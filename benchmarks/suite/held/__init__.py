"""The steps of the suite that are kept aside: measured at the end, and looked at by nobody before."""

from __future__ import annotations

from benchmarks.suite.held import models, programs  # noqa: F401  # they enter their steps
