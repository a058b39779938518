"""See what a function does while it is traced: its bytecode, rewritten, runs on tracers."""
