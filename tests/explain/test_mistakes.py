"""The mistakes in `mistakes/`: their records are well formed, and a sample of them shows what it should.

How many of them the tool explains is not asserted here; `python -m tests.explain.mistakes.score` measures it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import replace

import pytest

from tests.explain.mistakes.programs import (
    FOLDER,
    FRESH,
    HALVES,
    SYMPTOMS,
    Mistake,
    Raised,
    answers,
    judge,
    mistakes,
    raised,
    sound,
    without_symptom,
)
from tests.explain.mistakes.score import failures, score, table

BOTH = [mistake for half in HALVES for mistake in mistakes(half)]

#: Some programs of the open half.
SAMPLE = mistakes("open")[::14][:6]


def test_records_are_well_formed() -> None:
    for mistake in BOTH:
        try:
            check(mistake)
        except Exception as error:
            error.add_note(f"{mistake.file}")
            raise


def check(mistake: Mistake) -> None:
    lines = mistake.lines
    assert mistake.file.name.startswith(f"{mistake.number}_")
    assert mistake.symptom in SYMPTOMS
    assert mistake.cause and all(mistake.cause) and mistake.mend
    assert all(word for group in mistake.cause + mistake.mend + mistake.forbidden for word in group)
    assert all(word == word.lower() for group in mistake.cause + mistake.mend for word in group)
    for number in (mistake.line, *mistake.also):
        assert lines[number - 1]
    assert "#" not in mistake.file.read_text(), "a comment might give the mistake away"
    assert 10 <= len(lines) <= 45
    ast.parse(mistake.file.read_text())
    if mistake.symptom != "error":
        ast.parse(mistake.shows, mode="eval")
    if mistake.name is not None:
        assert mistake.name.split(".")[0] in mistake.file.read_text()


@pytest.mark.parametrize("half", HALVES)
def test_every_program_has_a_record(half: str) -> None:
    recorded = mistakes(half)
    assert {mistake.file for mistake in recorded} == set((FOLDER / half).glob("*.py"))
    assert len(recorded) >= (20 if half in FRESH[1:] else 75)


def test_every_sound_program_has_a_record() -> None:
    assert set(sound().values()) == set((FOLDER / "sound").glob("*.py"))


def test_two_fifths_of_the_held_kinds_are_not_open() -> None:
    known = {mistake.kind for mistake in mistakes("open")}  # the fresh ones were written afterwards
    held = Counter(mistake.kind for mistake in mistakes("held"))
    new = {kind: count for kind, count in held.items() if kind not in known}
    assert len(new) >= 0.4 * len(held)
    assert sum(new.values()) >= 0.4 * held.total()


def test_the_kinds_are_listed_with_their_counts() -> None:
    counts = {half: Counter(mistake.kind for mistake in mistakes(half)) for half in ("open", "held")}
    counts["fresh"] = Counter(mistake.kind for half in FRESH for mistake in mistakes(half))
    row = r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$"
    rows = re.findall(row, (FOLDER / "README.md").read_text(), re.MULTILINE)
    listed = {kind: tuple(map(int, numbers)) for kind, *numbers in rows}
    kinds = counts["open"] | counts["held"] | counts["fresh"]
    assert listed == {
        kind: tuple(counts[column][kind] for column in ("open", "fresh", "held")) for kind in kinds
    }


def test_a_sample_shows_its_symptoms() -> None:
    assert without_symptom(SAMPLE) == []


def test_a_symptom_that_is_absent_is_reported() -> None:
    silent = next(mistake for mistake in SAMPLE if mistake.symptom != "error")
    assert without_symptom([replace(silent, shows="False")]) == [silent.file.stem]


def test_a_sample_is_scored() -> None:
    results = score(SAMPLE)
    assert len(results) == len(SAMPLE) == 6
    for _, met in results:
        assert met.best and not met.timed_out
    assert table(results, "symptom").splitlines()[-1].startswith("all")
    assert len(failures(results).splitlines()) <= len(SAMPLE)


def test_an_answer_ends_where_the_indentation_does() -> None:
    text = "one\n  two\nfour\n\n    five\n    0 AddBackward0  line 3\n"
    assert list(answers(text)) == ["one\n  two", "four", "    five", ""]


def test_parts_of_an_answer_stay_together() -> None:
    text = "the way is cut\n  where: a.py:3\n  mend: leave it out"
    assert list(answers(text)) == [text]


@pytest.mark.parametrize("bullet", ["", "- ", "2. "])
def test_items_under_a_heading_are_answers_of_their_own(bullet: str) -> None:
    items = [f"  {bullet}line 3 is cut", f"  {bullet}line 4\n      overflows"]
    assert list(answers("\n".join(["Findings", *items]))) == ["Findings", *items]


def test_a_wrapped_item_stays_whole() -> None:
    items = ["  1. line 3\n  is cut", "  2. line 4"]
    assert list(answers("\n".join(["Findings", *items]))) == ["Findings", *items]


def test_the_end_of_a_traceback_is_read() -> None:
    mistake = BOTH[0]
    frame = f'  File "{mistake.file}", line 7, in step\n    x\n  File "engine.py", line 9\n    y\n'
    err = f"Traceback (most recent call last):\n{frame}RuntimeError: bad\na note\nanother\n"
    assert raised(err, mistake.file) == Raised(7, "RuntimeError: bad", "a note\nanother")
    assert raised("no error", mistake.file) is None


class TestJudge:
    MISTAKE = next(mistake for mistake in mistakes("open") if mistake.kind == "hidden_state_kept")

    def test_a_right_answer(self) -> None:
        judged = judge(self.MISTAKE, f"line {self.MISTAKE.line}: detach the hidden state")
        assert judged.right and judged.mend and judged.name and not judged.certain_and_wrong

    def test_the_place_may_be_a_file_and_a_line(self) -> None:
        assert judge(self.MISTAKE, f"where: {self.MISTAKE.file}:{self.MISTAKE.line}\nmend: detach").right

    def test_another_line_is_wrong(self) -> None:
        judged = judge(self.MISTAKE, f"where: {self.MISTAKE.file}:{self.MISTAKE.line}0: relu")
        assert not judged.right and judged.certain_and_wrong

    def test_a_doubtful_answer_is_not_certain(self) -> None:
        assert not judge(self.MISTAKE, "likely where: x.py:3: relu").certain_and_wrong

    def test_uncertainty_in_a_name_is_no_claim(self) -> None:
        assert not judge(self.MISTAKE, "model.uncertainty (3,) float32, x.py:3").certain

    def test_forbidden_words_make_it_wrong(self) -> None:
        answer = f"line {self.MISTAKE.line}: detach, or pass retain_graph=True"
        assert not judge(self.MISTAKE, answer).right

    def test_words_of_the_message_forbid_nothing(self) -> None:
        message = "Specify retain_graph=True if you need to"
        answer = f"{message}. line {self.MISTAKE.line}: detach"
        assert judge(self.MISTAKE, answer, message, 1).right

    def test_a_quoted_line_is_no_cause(self) -> None:
        mistake = next(mistake for mistake in mistakes("open") if mistake.kind == "detach_in_forward")
        judged = judge(mistake, f"line {mistake.line}: {mistake.lines[mistake.line - 1]}")
        assert judged.line and not judged.cause
