"""Attack the package: hostile files, forks, interrupts, long runs, strange environments.

``python -m tools.attack --help`` lists the attacks. Each says what went wrong, and the program ends with 1
where something did. A small run of each stands in ``tests/security``.
"""
