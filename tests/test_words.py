"""Docstrings begin with a verb and say what is there in plain English.

A function's begins with a verb of the list below. A class or a module may begin with the noun that it is
("A probability distribution …"), but not with a question word or in the third person.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

import pytest

from .sources import PACKAGE, package
from .test_help import PLACES, members

VERBS = frozenset(re.findall(r"\w+", """
    Accept Accumulate Act Adapt Add Align Allow Answer Append Apply Ask Assign Attach Attend Average Be
    Become Begin Bring Broadcast Build Call Cast Change Check Choose Clear Clip Close Collect Colour Combine
    Compare Compile Complete Compute Connect Continue Convert Copy Count Create Cross Cut Decide Declare
    Decorate Delete Deliver Derive Describe Divide Do Draw End Enter Estimate Evaluate Exchange Execute
    Expand Expect Explain Export Extend Factor Fail Fill Find Fold Follow Forget Free Gather Generate Get
    Give Go Group Guard Hand Have Hide Hold Import Insert Install Iterate Join Judge Keep Label Lay Leave
    Lengthen Let Load Lock Log Look Loop Lower Make Map Mark Materialise Measure Move Multiply Name
    Normalise Note Open Pack Pad Parse Pass Place Plan Pool Prepare Print Project Promise Prune Publish Pull
    Push Put Raise Read Receive Record Reduce Refuse Register Release Remember Remove Replace Replay
    Resample Reset Restore Return Reverse Roll Round Run Save Say Scale Scatter Search See Seed Select Send
    Separate Serve Set Shard Shift Show Shuffle Signal Skip Solve Sort Split Spread Stack Stand Start Step
    Store Sum Swap Switch Take Tell Time Trace Transpose Treat Turn Undo Unpack Update Use Verify Visit Wait
    Walk Warn Watch Weight Work Wrap Write Yield Zero
    """))

#: What a class or a module does not begin with, and a class besides: of a module such words are nouns.
QUESTIONS = frozenset(
    ["How", "In", "What", "When", "Where", "Whether", "Which", "Who", "Whoever", "Within"]
)
THIRD_PERSON = frozenset(re.findall(r"\w+", """
    Adds Applies Calls Collects Computes Finds Follows Gives Goes Hands Holds Keeps Knows Lets Looks Makes
    Notes Pads Passes Prunes Puts Reads Refuses Remembers Repeats Returns Runs Says Stands Takes Tells Waits
    Warns Watches Wraps Writes
    """))


def documented() -> Iterator[tuple[str, type[ast.AST], str]]:
    """Every docstring of the package with its place and the kind of what has it."""
    for source in package():
        for found in source.definitions:
            if found.docstring:
                yield f"{source.path.relative_to(PACKAGE)}:{found.line}", found.kind, found.docstring


def first_word(text: str) -> str:
    found = re.match(r"[A-Za-z]+", text)
    return found[0] if found else ""


def test_functions_begin_with_a_verb() -> None:
    wrong = [
        (place, text[:60]) for place, kind, text in documented()
        if not issubclass(kind, (ast.Module, ast.ClassDef)) and first_word(text) not in VERBS
    ]
    assert wrong == []


def test_classes_and_modules_begin_with_a_verb_or_what_they_are() -> None:
    wrong = [
        (place, text[:60]) for place, kind, text in documented()
        if (kind is ast.Module and first_word(text) in QUESTIONS)
        or (kind is ast.ClassDef and first_word(text) in QUESTIONS | THIRD_PERSON)
    ]
    assert wrong == []


@pytest.mark.parametrize("place", PLACES)
def test_what_is_made_of_declarations_begins_with_a_verb(place: str) -> None:
    wrong = [
        (name, inspect.getdoc(value)) for name, value in members(place).items()
        if not isinstance(value, type) and first_word(inspect.getdoc(value) or "") not in VERBS
    ]
    assert wrong == []


def test_nobody_is_called_somebody() -> None:
    found = [
        str(source.path.relative_to(PACKAGE)) for source in package()
        if re.search(r"\b(somebody|whoever)\b", source.text, re.IGNORECASE)
    ]
    assert found == []
