"""Wrong calls of every public function, under torch and under pullback: what is refused, and how.

The right calls (`tests/data/right_calls.json`, taken from torch's own database of ops) are spoilt one
argument at a time by `mutations`; `run` looks at what a module says of each; `compare` puts two runs side by
side; `foreign` knows the texts that must not reach a user.
"""
