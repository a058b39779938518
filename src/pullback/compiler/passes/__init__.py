"""Rewrite programs, and group, schedule and place what they compute: one list, in order, in `pipeline`."""
