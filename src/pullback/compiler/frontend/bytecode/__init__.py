"""Take bytecode apart, and write in each instruction's place what a trace sees of it."""

from __future__ import annotations
