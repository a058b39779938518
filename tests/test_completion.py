"""What bash completes after `pullback`."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec

import pytest

from pullback.command import completion
from pullback.command.run import COMMANDS, main


def completed(*words: str) -> set[str]:
    code = (
        f'source "{completion.path("bash")}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_shtab_pullback; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", code, "bash", "pullback", *words],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_commands_and_options() -> None:
    assert set(completion.COMMANDS) == set(COMMANDS)
    assert completed("") >= set(COMMANDS)
    assert completed("ch") == {"check"}
    assert completed("check", "--") >= {"--all", "--json"}
    assert completed("jupyter", "un") == {"uninstall"}
    assert completed("completion", "") == {"bash", "zsh"}


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
