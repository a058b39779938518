"""Tests of what must hold against hostile files, forks, interrupts and long runs."""
