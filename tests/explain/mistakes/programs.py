"""The records of the programs, and what an answer must say to be right.

A program is run in a fresh process, as a user would run it. Its output is cut into answers, and an answer is
held against the record, which was written down before the first run.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCES = FOLDER.parents[2] / "src"

#: Batches that were written before the tool was run on them, the first run of each being an estimate.
FRESH = (
    "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
    "thirteenth", "fourteenth", "fifteenth", "sixteenth",
)  # fmt: skip

HALVES = "open", *FRESH, "held"

#: What a program shows: it raises, or a gradient is missing, zero, NaN or infinite, or it trains wrongly.
SYMPTOMS = "error", "none", "zero", "nan", "inf", "wrong"

#: An answer with one of these words leaves its cause open; see `docs/guides`. Without them it is certain.
UNSURE = "likely", "probably", "perhaps", "possibly", "suspect", "may ", "might "

#: An answer names a place or a mend. A line of the output without these is no answer, and cannot be certain.
ANSWERS = "where:", "mend:", "cause:", "certain"

#: How many lines of an explanation are what a user meets first.
FIRST_LINES = 12

#: How many seconds a program may take.
TIMEOUT = 120.0

#: A row of the walk through the graph, which quotes every line whatever the mistake is.
WALK = re.compile(r"\d+ (\w+Backward\d*|leaf|AccumulateGrad)\b")

#: A place in a program.
PLACE = re.compile(r"\blines? \d+|\.py:\d+")

#: A line that is a part of an answer, and one that begins an item of a list.
PART = re.compile(r"\s*[a-z][a-z ]*: ")
BULLET = re.compile(r"\s*(\d+[.)]|[-*•–])\s")


@dataclass(frozen=True)
class Mistake:
    """One program and what an expert would say of it.

    Attributes
    ----------
    number : str
        Three digits, with which the name of the program begins.
    file : Path
        The program.
    kind : str
        The kind of mistake.
    symptom : str
        One of `SYMPTOMS`.
    shows : str
        For an error, a part of its message; otherwise an expression of the program's variables that is true
        after it has run.
    line : int
        The line of the cause.
    also : tuple[int, ...]
        Further lines that an expert might name as well.
    cause, mend, forbidden : tuple[tuple[str, ...], ...]
        Groups of words. A right answer has one group of `cause` whole, and no group of `forbidden`.
    name : str or None
        The tensor, parameter or variable that the answer should name.
    """

    number: str
    file: Path
    kind: str
    symptom: str
    shows: str
    line: int
    also: tuple[int, ...]
    cause: tuple[tuple[str, ...], ...]
    name: str | None
    mend: tuple[tuple[str, ...], ...]
    forbidden: tuple[tuple[str, ...], ...]

    @property
    def lines(self) -> list[str]:
        """Return the lines of the program, without the space around them."""
        return [line.strip() for line in self.file.read_text().splitlines()]


def mistakes(half: str) -> list[Mistake]:
    """Return the programs of one half, by number."""
    records = json.loads((FOLDER / f"{half}.json").read_text())
    return [
        Mistake(
            number=number,
            file=FOLDER / record["file"],
            kind=record["kind"],
            symptom=record["symptom"],
            shows=record["shows"],
            line=record["line"],
            also=tuple(record["also"]),
            cause=tuple(map(tuple, record["cause"])),
            name=record["name"],
            mend=tuple(map(tuple, record["mend"])),
            forbidden=tuple(map(tuple, record["forbidden"])),
        )
        for number, record in sorted(records.items())
    ]


def sound(batch: str | None = None) -> dict[str, Path]:
    """Return the programs that make no mistake, all of them or those written with one batch, by number."""
    records = json.loads((FOLDER / "sound.json").read_text())
    return {
        number: FOLDER / record["file"]
        for number, record in sorted(records.items())
        if batch in (None, record["batch"])
    }


def said_of_sound(program: Path) -> tuple[list[str], list[str]]:
    """Return what the tool says of a program that makes no mistake: answers that are certain, and others."""
    explained = run("explain", str(program))
    assert raised(explained.err, program) is None, explained.err
    claims = [text for text in answers(explained.out) if any(_has(word, _plain(text)) for word in ANSWERS)]
    doubtful = [text for text in claims if any(_has(word, _plain(text)) for word in UNSURE)]
    return [text for text in claims if text not in doubtful], doubtful


@dataclass(frozen=True)
class Ran:
    """What a process printed."""

    out: str
    err: str
    timed_out: bool = False


def run(*arguments: str) -> Ran:
    """Run `python -m pullback` with arguments in a fresh process, without colour."""
    variables = {"PYTHONPATH": str(SOURCES), "PULLBACK_CACHE": "1", "NO_COLOR": "1", "COLUMNS": "100"}
    environment = {**os.environ, **variables}
    command = [sys.executable, "-m", "pullback", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=FOLDER,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Ran("", "", timed_out=True)
    return Ran(done.stdout, done.stderr)


@cache
def has_full() -> bool:
    """Return whether `python -m pullback explain` has the option `--full`."""
    return "--full" in run("explain", "--help").out


@dataclass(frozen=True)
class Raised:
    """The end of a traceback.

    Attributes
    ----------
    line : int or None
        The innermost line of the program that the traceback names.
    message : str
        The first line of the message, which is torch's.
    notes : str
        What follows it.
    """

    line: int | None
    message: str
    notes: str


def raised(err: str, program: Path) -> Raised | None:
    """Return what the last traceback in an output says, or None where there is none."""
    _, found, last = err.rpartition("Traceback (most recent call last):\n")
    if not found:
        return None
    frames: list[str] = []
    rest = last.splitlines()
    while rest and rest[0].startswith(" "):
        frames.append(rest.pop(0))
    places = re.findall(rf'{re.escape(program.name)}", line (\d+)', "\n".join(frames))
    message = rest[0] if rest else ""
    return Raised(int(places[-1]) if places else None, message, "\n".join(rest[1:]))


#: Runs programs one after another in one process, and prints whether each shows its symptom.
CHECK = """
import json, runpy, sys, torch
for number, path, shows in json.loads(sys.argv[1]):
    variables = runpy.run_path(path)
    print(f"shown {number}", bool(eval(shows, {**variables, "torch": torch})), flush=True)
"""


def without_symptom(chosen: Iterable[Mistake]) -> list[str]:
    """Return the names of those programs that do not show under pullback what their record says."""
    absent, silent = [], []
    for mistake in chosen:
        if mistake.symptom != "error":
            silent.append(mistake)
            continue
        end = raised(run(str(mistake.file)).err, mistake.file)
        if end is None or mistake.shows not in end.message:
            absent.append(mistake.file.stem)
    asked = json.dumps([(mistake.number, str(mistake.file), mistake.shows) for mistake in silent])
    shown = set(re.findall(r"^shown (\d+) True$", run("-c", CHECK, asked).out, re.MULTILINE))
    return absent + [mistake.file.stem for mistake in silent if mistake.number not in shown]


def answers(text: str) -> Iterator[str]:
    """Cut an output into answers: a line with the deeper lines below it, up to the next blank line.

    Deeper lines under a heading that names no place are answers of their own, unless they are marked
    (``where:``, ``mend:``) as parts of one.
    """
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if block and (not line.strip() or _depth(line) <= _depth(block[0])):
            yield from _items(_without_walk(block))
            block = []
        if line.strip():
            block.append(line)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items(block: list[str]) -> Iterator[str]:
    below = block[1:]
    depth = min(map(_depth, below), default=0)
    direct = [line for line in below if _depth(line) == depth]
    if len(direct) < 2 or PLACE.search(block[0]) or any(PART.match(line) for line in direct):
        yield "\n".join(block)
        return
    yield block[0]
    bulleted = any(BULLET.match(line) for line in direct)
    item: list[str] = []
    for line in below:
        starts = BULLET.match(line) if bulleted else _depth(line) == depth
        if item and starts:
            yield "\n".join(item)
            item = []
        item.append(line)
    yield "\n".join(item)


def _without_walk(block: list[str]) -> list[str]:
    start = next((k for k, line in enumerate(block) if WALK.match(line.lstrip())), len(block))
    return block[:start]


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _has(word: str, text: str) -> bool:
    if word.isdigit():
        return re.search(rf"(?<![\w.]){word}(?![\w.]*\d)", text) is not None
    start = r"(?<![a-z0-9])" if word[0].isalnum() else ""
    return re.search(start + re.escape(word), text) is not None


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _has_group(groups: tuple[tuple[str, ...], ...], text: str) -> bool:
    return any(all(_has(word, text) for word in group) for group in groups)


@dataclass(frozen=True)
class Judged:
    """What an answer names of what it should."""

    line: bool
    cause: bool
    mend: bool
    name: bool
    forbidden: bool
    certain: bool

    @property
    def right(self) -> bool:
        """Return whether the answer names line and cause, and nothing that makes it wrong."""
        return self.line and self.cause and not self.forbidden

    @property
    def certain_and_wrong(self) -> bool:
        """Return whether the answer says that it is certain, and names neither line nor cause."""
        return self.certain and not self.line and not self.cause


def judge(mistake: Mistake, answer: str, message: str = "", at: int | None = None) -> Judged:
    """Hold an answer against a record.

    Parameters
    ----------
    mistake : Mistake
        The record.
    answer : str
        The answer, as printed.
    message : str
        torch's own message, which names a cause but forbids and mends nothing.
    at : int or None
        The line of the program that the traceback above the answer ends in.
    """
    own = _plain(answer)
    if message:
        own = own.replace(_plain(message), " ")
    wanted = mistake.line, *mistake.also
    line = at in wanted or any(
        re.search(rf"(?:\blines? |\.py:|(?<![\w\[\],]):){number}\b", own) for number in wanted
    )
    # A quoted line of the program is a place. What is wrong with it must be said in other words.
    for quoted in sorted({_plain(text) for text in mistake.lines if len(text) >= 8}, key=len, reverse=True):
        own = own.replace(quoted, " ")
    answered = any(_has(word, own) for word in ANSWERS)
    return Judged(
        line=line,
        cause=_has_group(mistake.cause, f"{own} {_plain(message)}" if at is not None else own),
        mend=_has_group(mistake.mend, own),
        name=mistake.name is None or _is_named(mistake.name.lower(), own),
        forbidden=_has_group(mistake.forbidden, own),
        certain=answered and not any(_has(word, own) for word in UNSURE),
    )


@dataclass(frozen=True)
class Met:
    """What the tool said of a program.

    Attributes
    ----------
    first, best : list[Judged]
        The answers that a user meets first, and all of them.
    text : str
        The whole output, to be shown.
    timed_out : bool
        Whether a run took longer than `TIMEOUT`.
    """

    first: list[Judged]
    best: list[Judged]
    text: str
    timed_out: bool

    @property
    def certain_and_wrong(self) -> bool:
        """Return whether the first answer of all is certain and wrong."""
        return next((judged.certain_and_wrong for judged in self.best if judged.certain), False)


def meet(mistake: Mistake) -> Met:
    """Run a program plainly and explained, and judge the answers."""
    program = str(mistake.file)
    plain = run(program)
    explained = run("explain", program)
    runs = [plain, explained]
    if has_full():
        runs.append(run("explain", "--full", program))
    end = raised(plain.err, mistake.file)
    message = end.message.partition(": ")[2] if end else ""
    noted = [judge(mistake, end.notes, message, end.line or 0)] if end else []
    rest = explained.out.removeprefix(plain.out)
    if not end:
        rest += explained.err.removeprefix(plain.err)
    first = "\n".join(rest.strip("\n").splitlines()[:FIRST_LINES])
    whole = [judge(mistake, answer, message) for answer in answers(rest)]
    for more in runs[2:]:
        whole += [judge(mistake, answer, message) for answer in answers(more.out.removeprefix(plain.out))]
    shown = [f"$ python -m pullback {mistake.file.name}", plain.out, end and f"{end.message}\n{end.notes}"]
    shown += [f"$ python -m pullback explain {mistake.file.name}", rest]
    return Met(
        first=noted if end else [judge(mistake, answer, message) for answer in answers(first)],
        best=noted + whole,
        text="\n".join(text for text in shown if text),
        timed_out=any(ran.timed_out for ran in runs),
    )
