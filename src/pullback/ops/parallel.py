"""Hands the core the array layer's parallel kernel calls."""

from __future__ import annotations

from ..array import elementwise
from ..core import bulk, calls

calls.use_parallel(elementwise.apply, elementwise.WORTH_ASKING)
bulk.use_bulk_from(elementwise.WORTH_ASKING)
