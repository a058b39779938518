"""Kernels of linear algebra on stacks of small matrices: systems, factors, eigenvalues.

LAPACK takes a microsecond or more around the few operations of each matrix, and an array kernel copies there
and back. Here the rows of a matrix lie in a scratch, filled up to whole vectors, so that what is done to a
row is done to a few registers.
"""
