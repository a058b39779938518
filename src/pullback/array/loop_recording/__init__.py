"""Recordings of the loops that NumPy calls for a function of arrays."""
