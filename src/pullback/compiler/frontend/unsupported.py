"""Why compiled functions run eagerly: what a program cannot hold, and what the user chose."""

import sys

from ...core.blame import user_frame


class Unsupported(RuntimeError):
    """A function does what a program cannot hold; it runs eagerly."""


class OnlyNow(Exception):
    """Say that later calls will do something else than this one.

    It gives a warning that is given once, say, or looks at the state that an optimizer is about to make. This
    call runs eagerly, and a later one is compiled.
    """


class Again(Exception):
    """The function looks for a gradient that is absent, where the trace has a stand-in for one."""


#: What `set_stance` has chosen, if it is not the default.
STANCE: list[str] = []


def user_line() -> str:
    """Return the file and line of the user's code that is running."""
    frame = user_frame(sys._getframe(1))
    # Code that Python adds, as before the handlers of errors, has no line.
    return f"{frame.f_code.co_filename}:{frame.f_lineno or frame.f_code.co_firstlineno}"
