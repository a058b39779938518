"""What bash, zsh and fish complete after `pullback`."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from pullback.command import completion
from pullback.command.run import COMMANDS, main
from pullback.explain import command as explain

#: Gives an interactive zsh a terminal, and waits for its end.
IN_A_TERMINAL = "zmodload zsh/zpty; zpty shell zsh -i; while zpty -r shell shown; do :; done"
#: Completes a line as the tab does, writes down what zsh offers, and ends.
OFFERS = """
autoload -Uz compinit; compinit -u -d ./offers
eval "$(<$SCRIPT)"
compadd() {
  local -a found
  if [[ " $* " != *" -"[OAD]" "* ]]; then builtin compadd -O found "$@"; print -rl -- $found; fi >> found
  builtin compadd "$@"
}
zle-line-init() { LBUFFER=$TYPED; zle complete-word; exit }
zle -N zle-line-init
"""


def by_bash(line: str, folder: Path) -> set[str]:
    code = (
        f'source "{completion.path("bash")}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_shtab_pullback; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return run("bash", "-c", code, "bash", *line.split(" "), folder=folder)


def by_fish(line: str, folder: Path) -> set[str]:
    code = f"source {completion.path('fish')}; complete -C'{line}'"
    return run("fish", "--no-config", "--command", code, folder=folder)


def by_zsh(line: str, folder: Path) -> set[str]:
    (folder / ".zshrc").write_text(OFFERS, encoding="utf-8")
    (folder / "found").unlink(missing_ok=True)
    run("zsh", "-f", "-c", IN_A_TERMINAL, folder=folder, TYPED=line)
    return set((folder / "found").read_text(encoding="utf-8").split())


def run(*command: str, folder: Path, **more: str) -> set[str]:
    variables = {
        "PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(folder), "ZDOTDIR": str(folder),
        "SCRIPT": str(completion.path("zsh")), **more,
    }  # fmt: skip
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=True, cwd=folder, env=variables
    )
    return {shown.partition("\t")[0] for shown in done.stdout.splitlines()}


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_commands_options_and_files(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    completed = {"bash": by_bash, "zsh": by_zsh, "fish": by_fish}[shell]
    assert completed("pullback ", tmp_path) >= set(COMMANDS)
    assert completed("pullback ch", tmp_path) == {"check"}
    assert completed("pullback explain --", tmp_path) >= {"--every", "--html", "--json", "--calls", "--full"}
    assert completed("pullback completion ", tmp_path) == set(completion.SHELLS)
    (tmp_path / "train.py").touch()
    assert completed("pullback check a.py tr", tmp_path) == {"train.py"}
    if shell != "bash":  # whose script leaves these to `complete -o default`
        assert completed("pullback tr", tmp_path) == {"train.py"}
        assert completed("pullback a.py tr", tmp_path) == {"train.py"}


def test_every_command_and_option_is_known() -> None:
    assert set(completion.COMMANDS) == set(COMMANDS)
    (commands,) = (a for a in completion.parser()._actions if isinstance(a, argparse._SubParsersAction))
    known = set(commands.choices["explain"]._option_string_actions) - {"-h", "--help"}
    assert known == set(re.findall(r"--\w+", explain.USAGE)) - {"--help"}


def test_scripts_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in completion.SHELLS:
        with pytest.raises(SystemExit) as ended:
            main(["completion", shell])
        assert ended.value.code == 0
        assert capsys.readouterr().out == completion.path(shell).read_text(encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["completion", "csh"])
    assert ended.value.code == 2


@pytest.mark.skipif(find_spec("shtab") is None, reason="shtab writes the scripts: pip install shtab")
def test_scripts_are_what_shtab_writes() -> None:
    from tools.make_completion import script

    for shell in completion.SHELLS:
        assert script(shell) == completion.path(shell).read_text(encoding="utf-8")
