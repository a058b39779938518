"""The documentation as it stands in the repository: what its pages name is there, nothing made is
checked in, and the Python on its pages runs when it is pasted into a file, block after block.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
COMMENTS = [
    (page.name, *found)
    for page in PAGES
    for found in re.findall(r"^<!-- (\w+) (\S+) -->$", page.read_text(encoding="utf-8"), re.MULTILINE)
]

#: A fenced block: the spaces before it, its language, and what is in it.
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)

#: Modules that only an extra brings, and how a page's code says that it needs them.
OPTIONAL = {
    **{name: rf"^(?:import|from) {name}\b" for name in ("matplotlib", "sklearn", "tqdm")},
    "llvmlite": r"\bfreeze\(",
    "onnx": r"\bonnx\.export\(",
}

#: Runs blocks of code in one namespace and tells what each printed. The blocks are lines of a file, so that
#: tracebacks and `explain` show them.
RUN_BLOCKS = """
def run():
    import contextlib, io, json, sys
    name, places = sys.argv[1], json.loads(sys.argv[2])
    with open(name, encoding="utf-8") as file:
        lines = file.readlines()
    printed = []
    for start, end in places:
        code = compile("\\n" * start + "".join(lines[start:end]), name, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, globals())
        printed.append(out.getvalue())
    json.dump(printed, sys.stdout)

run()
"""


class Block(NamedTuple):
    """A block of Python on a page, and the output that the page shows below it, if any."""

    code: str
    shown: str | None


def python_blocks(text: str) -> list[Block]:
    """Return the blocks of Python in a page. A block of text that directly follows one is its output."""
    fences = list(FENCE.finditer(text))
    blocks = []
    for fence, after in zip(fences, [*fences[1:], None]):
        indent, language, code = fence.groups()
        if language != "python":
            continue
        assert not indent, f"a block of Python must stand at the left edge, to be pasted: {code}"
        is_output = after is not None and after[2] == "text" and not text[fence.end() : after.start()].strip()
        blocks.append(Block(code, after[3] if after is not None and is_output else None))
    return blocks


CODE = {
    page.relative_to(ROOT).as_posix(): blocks
    for page in [ROOT / "README.md", *PAGES]
    if (blocks := python_blocks(page.read_text(encoding="utf-8")))
}

#: Pages and the consoles on them that show what a command of Python prints.
CONSOLES = [
    (page.relative_to(ROOT).as_posix(), *found)
    for page in [ROOT / "README.md", *PAGES]
    for found in re.findall(
        r"^```console\n\$ python (.+)\n([^`]+)^```$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
]


def run_python(arguments: list[str], folder: Path) -> str:
    """Run this Python with the package of the repository; return what it printed."""
    variables = {
        "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg",
        "PULLBACK_CACHE": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True, encoding="utf-8", cwd=folder, timeout=280, env={**os.environ, **variables},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", CODE)
def test_blocks_run_and_print_what_is_shown(page: str, tmp_path: Path) -> None:
    blocks = CODE[page]
    program = "\n".join(block.code for block in blocks)
    for module, code in OPTIONAL.items():
        if re.search(code, program, re.MULTILINE) and find_spec(module) is None:
            pytest.skip(f"the page needs {module}")
    file = tmp_path / "tutorial.py"
    file.write_text(program, encoding="utf-8")
    places, line = [], 0
    for block in blocks:
        places.append((line, line + block.code.count("\n")))
        line = places[-1][1] + 1
    runner = ["-m", "pullback"] if re.search(r"^(?:import|from) torch\b", program, re.MULTILINE) else []
    told = run_python([*runner, "-c", RUN_BLOCKS, file.name, json.dumps(places)], tmp_path)
    for block, printed in zip(blocks, json.loads(told), strict=True):
        if block.shown is not None:
            assert printed == block.shown, block.code


@pytest.mark.parametrize("page, arguments, shown", CONSOLES)
def test_consoles_show_what_is_printed(page: str, arguments: str, shown: str, tmp_path: Path) -> None:
    if "pullback.distributed.run" in arguments and find_spec("mpi4py") is None:
        pytest.skip("several processes need mpi4py")
    if page in CODE:
        program = "\n".join(block.code for block in CODE[page])
        (tmp_path / "tutorial.py").write_text(program, encoding="utf-8")
    assert run_python(shlex.split(arguments), tmp_path) == shown


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_a_block_says_what_it_is(page: Path) -> None:
    """Python is `python` and nothing else (`py`, no language), so that it is run."""
    languages = {language for _, language, _ in FENCE.findall(page.read_text(encoding="utf-8"))}
    assert languages <= {"python", "text", "sh", "console", "toml", "yaml", "json"}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_code_stands_in_fences(page: Path) -> None:
    """A block that is only indented would be run by nobody. In a list, indented lines belong to an item."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    parts = re.split(r"\n(?=\S)", text)
    loose = [part for part in parts if not re.match(r"[-*] |\d+\. ", part)]
    assert [part for part in loose if re.search(r"\n\n {4}", part)] == []


@pytest.mark.parametrize("page", ["install.md", "compile.md"])
def test_a_search_for_its_word_finds_the_page_first(page: str) -> None:
    """Without the boost, pages of the reference stand before it (docs/design/0028-site.md)."""
    assert (ROOT / "docs" / page).read_text(encoding="utf-8").startswith("---\nsearch:\n  boost: 4\n---\n")


def test_an_output_is_the_text_directly_below() -> None:
    output, other = "```text\n1\n```\n\n", "Note:\n\n```text\n2\n```\n\n```sh\nc\n```\n"
    page = f"```python\na\n```\n\n{output}```python\nb\n```\n\n{other}"
    assert python_blocks(page) == [Block("a\n", "1\n"), Block("b\n", None)]


def test_the_readme_has_no_links_that_need_the_repository() -> None:
    """PyPI shows the README alone: a link to a file beside it leads nowhere there."""
    links = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert [link for link in links if not link.startswith("https://")] == []


@pytest.mark.parametrize("page, kind, name", COMMENTS)
def test_what_a_page_shows_is_there(page: str, kind: str, name: str) -> None:
    assert kind in ("run", "page")
    assert (ROOT / name).is_file()


def test_every_program_is_shown() -> None:
    shown = {name for _, _, name in COMMENTS}
    assert {f"docs/programs/{file.name}" for file in (ROOT / "docs/programs").iterdir()} <= shown


def test_every_picture_is_made_by_its_page() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = re.findall(r"!\[[^\]]+\]\((\w+\.png)\)", text)
        assert named == re.findall(r'^save\("(\w+\.png)"\)$', text, re.MULTILINE)


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/.-]+\.(?:md|ipynb)\b", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in PAGES}
    notebooks = {f"notebooks/{file.name}" for file in (ROOT / "docs/notebooks").glob("*.ipynb")}
    assert listed == {page for page in pages if not page.startswith("design/")} | notebooks


@pytest.mark.parametrize(
    "file", sorted((ROOT / "docs/notebooks").glob("*.ipynb")), ids=lambda file: file.stem
)
def test_notebooks_are_checked_in_without_results(file: Path) -> None:
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


def reading() -> str:
    return (ROOT / "docs" / "reading.md").read_text("utf-8")


def test_eight_files_lead_to_machine_code() -> None:
    section = reading().split("## From `torch.tanh(x)`")[1].split("## ")[0]
    files = re.findall(r"^\d\. `([\w/]+\.py)`", section, re.MULTILINE)
    assert 0 < len(files) <= 8
    assert [file for file in files if not (ROOT / "src" / "pullback" / file).is_file()] == []


def test_the_map_names_every_folder_and_the_file_to_read_first() -> None:
    section = reading().split("## The folders")[1].split("## ")[0]
    package, named = ROOT / "src" / "pullback", set()
    for row in re.findall(r"^\| (`.*) \|.*\|(.*)\|$", section, re.MULTILINE):
        folders = re.findall(r"`([\w/.]+)`", row[0])
        inside = "compiler" if (package / "compiler" / folders[0]).exists() else ""
        named |= {package / inside / folder for folder in folders}
        for first in re.findall(r"`([\w/]+\.py)`", row[1]):
            assert any((folder / first).is_file() for folder in named) or (package / first).is_file(), first
    assert [path for path in named if not path.exists()] == []
    folders = {path.parent for path in [*package.glob("*/*.py"), *package.glob("compiler/*/*.py")]}
    assert sorted(folders - named - {package}) == []


def test_what_is_quoted_beside_the_models_is_the_code() -> None:
    section = reading().split("## Held against its models")[1]
    quoted = re.findall(r"`([\w/]+\.py)`[^`]*\n\n```text\n(.*?)```", section, re.DOTALL)
    assert len(quoted) == section.count("```text")
    for file, code in quoted:
        assert code in (ROOT / "src" / "pullback" / file).read_text("utf-8"), file
