"""The facade: names, argument parsing, promotion, indexing, printing. No mathematics."""

from __future__ import annotations
