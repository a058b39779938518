"""Write what shells complete after `pullback`, by shtab: `python -m tools.make_completion`.

Run after a command or an option was added to `pullback.command.completion.parser`.
"""

from __future__ import annotations

import argparse

import shtab

from pullback.command.completion import SHELLS, parser, path

#: Where no command fits, a program's file may stand, and files are its arguments; `check` takes several.
PROGRAMS = {
    "bash": {"complete -o bashdefault": "complete -o bashdefault -o default"},
    "zsh": {
        "_describe 'pullback commands' _commands\n": "_describe 'pullback commands' _commands\n  _files\n",
        '"(*):FILE:_files"': '"*:FILE:_files"',
        "      esac\n  esac": "        *) _files ;;\n      esac\n  esac",
    },
    "fish": {
        "complete -c pullback -f\n":
            "complete -c pullback -f\ncomplete -c pullback -n _shtab_pullback_using -F\n",
    },
}  # fmt: skip


def script(shell: str) -> str:
    """Return a shell's script."""
    whole = parser()
    (commands,) = (a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    for each in commands.choices.values():
        for action in each._actions:
            if action.metavar in ("FILE", "FOLDER"):
                action.complete = shtab.FILE if action.metavar == "FILE" else shtab.DIRECTORY
    text = shtab.complete(whole, shell=shell)
    for before, after in PROGRAMS[shell].items():
        if before not in text:
            raise RuntimeError(f"shtab no longer writes {before!r}: look where a program's file may stand")
        text = text.replace(before, after)
    return text


def main() -> None:
    for shell in SHELLS:
        path(shell).write_text(script(shell), encoding="utf-8")


if __name__ == "__main__":
    main()
