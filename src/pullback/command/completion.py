"""Write `python -m pullback completion SHELL`: what a shell completes after `pullback`.

The scripts beside this file are static: shtab wrote them from `parser` (`python -m tools.make_completion`).
So completing starts no Python, and nothing needs shtab where pullback is used.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

SHELLS = ("bash", "zsh", "fish")
#: What each command does, as zsh shows it.
COMMANDS = {
    "check": "say which torch names a program uses and whether they are there",
    "completion": "print a script that completes this command line",
    "explain": "run a program and explain every call of backward in it",
    "install-torch": "let import torch give pullback in this environment",
    "jupyter": "install a Jupyter kernel in which torch is pullback",
    "stubs": "write types for import torch",
    "uninstall-torch": "take away what install-torch has put there",
}


def parser() -> argparse.ArgumentParser:
    """Return the command line in argparse's form; `run.main` reads it, for programs have own arguments."""
    whole = argparse.ArgumentParser(prog="pullback", description="Run a PyTorch program on pullback.")
    whole.add_argument("-V", "--version", action="store_true", help="print the version")
    commands = whole.add_subparsers(metavar="COMMAND")
    made = {name: commands.add_parser(name, help=text) for name, text in COMMANDS.items()}
    made["check"].add_argument("path", nargs="+", metavar="FILE")
    made["check"].add_argument("--all", action="store_true", help="list the names that are there, too")
    made["check"].add_argument("--json", action="store_true", help="print JSON")
    made["explain"].add_argument("--every", metavar="N", help="look at the layers in every N-th step")
    made["explain"].add_argument("--html", metavar="FILE", help="write a page")
    made["explain"].add_argument("--json", metavar="FILE", help="write JSON")
    made["explain"].add_argument("--calls", metavar="N", help="calls from one line to explain in full")
    made["explain"].add_argument("--full", action="store_true", help="show all calls")
    made["explain"].add_argument("script", metavar="FILE")
    made["stubs"].add_argument("folder", nargs="?", metavar="FOLDER")
    made["jupyter"].add_argument("action", choices=("install", "uninstall"))
    made["jupyter"].add_argument("--user", action="store_true", help="for the user")
    made["completion"].add_argument("shell", choices=SHELLS)
    return whole


def path(shell: str) -> Path:
    """Return the place of a shell's script."""
    return Path(__file__).parent / f"completion.{shell}.txt"


def main(arguments: Sequence[str]) -> int:
    """Print the script of the shell that the arguments name; return the exit status."""
    reader = argparse.ArgumentParser(
        prog="python -m pullback completion",
        description="Print a script that completes `pullback`; run it where the shell starts.",
        epilog="""bash, in ~/.bashrc: eval "$(pullback completion bash)"
zsh, in ~/.zshrc below compinit: eval "$(pullback completion zsh)"
fish, in ~/.config/fish/config.fish: pullback completion fish | source""",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reader.add_argument("shell", choices=SHELLS)
    sys.stdout.write(path(reader.parse_args(arguments).shell).read_text(encoding="utf-8"))
    return 0
