"""Run chains of NumPy's loops, and elementwise ops on small arrays, as native functions."""
