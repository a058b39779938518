"""Write what shells complete after `pullback`, by shtab: `python -m tools.make_completion`.

Run after a command or an option was added to `pullback.command.completion.parser`.
"""

from __future__ import annotations

import argparse

import shtab

from pullback.command.completion import SHELLS, parser, path


def script(shell: str) -> str:
    """Return a shell's script."""
    whole = parser()
    (commands,) = (a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    for each in commands.choices.values():
        for action in each._actions:
            if action.metavar in ("FILE", "FOLDER"):
                action.complete = shtab.FILE if action.metavar == "FILE" else shtab.DIRECTORY
    text = shtab.complete(whole, shell=shell)
    # Where no command fits, a program's file may stand.
    return text.replace("complete -o bashdefault", "complete -o bashdefault -o default")


def main() -> None:
    for shell in SHELLS:
        path(shell).write_text(script(shell), encoding="utf-8")


if __name__ == "__main__":
    main()
