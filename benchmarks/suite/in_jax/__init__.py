"""The steps that a user of jax would write in jax: one module for each module of steps in torch's interface.

Each function has the name of its step and takes the library (jax) and ``source``, a module with torch's
interface, seeded as the step's own is. It draws the same numbers in the same order and gives them to jax, so
that the first results agree. Steps that draw while they run have no version here: their numbers would differ.
"""
