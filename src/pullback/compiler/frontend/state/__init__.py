"""Hold what a trace reads of Python's state and writes to it: guards, effects, numbers, draws."""
