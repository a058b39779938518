"""Hold the commands of `python -m pullback`: run a program, `check` it, write `stubs` for it."""
