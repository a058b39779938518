"""Findings: what is wrong in a program, said without being asked.

Each module looks at one side of a run, told of it by `explain.watch`: `losses` at the calls of losses,
`reach` at histories that ended, `values` at numbers that are not finite, `sizes` at gradients that are too
small or too large, `layers` at modules, `loop` at optimizers, `functions` at custom functions.
"""
