"""The words of messages: those of docs/vocabulary.md, and no names of what only the library knows."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import pullback as torch
from pullback import explain
from pullback.explain.answer import Text, texts
from pullback.explain.findings.collected import ORDER
from pullback.explain.patterns import TESTS

PACKAGE = Path(explain.__file__).parent
FORMATTER = string.Formatter()

#: Words of autograd's own workings, and sentences that readers did not understand.
NOT_SAID = re.compile(
    r"\w+Backward\d|\bvjp\b|\bcotangent|\btangent|\bprimal\b|\btape\b|\bthe node\b|\bkernel\b|\baten\b"
    r"|the tensor\.retain_grad|Broken power|covector comes into|`…",
)

#: What messages are made by, and what tells those of `answers.toml`.
MAKERS = ("Answer", "Pattern", "Cause", "CannotReplay")
TELLERS = (".tell", "Answer.of", "Cut.of")


@cache
def nodes() -> list[tuple[str, ast.AST]]:
    """All parts of the modules of explain, with the name of the file."""
    files = sorted(PACKAGE.rglob("*.py"))
    trees = [(file.name, ast.parse(file.read_text(encoding="utf-8"))) for file in files]
    return [(name, node) for name, tree in trees for node in ast.walk(tree)]


def calls() -> list[tuple[str, ast.Call]]:
    return [(name, node) for name, node in nodes() if isinstance(node, ast.Call)]


def messages() -> Iterator[tuple[str, str]]:
    """Strings with a space in them, from calls that make messages, and what `answers.toml` holds."""
    for file, call in calls():
        if _name(call.func) in MAKERS:
            for part in ast.walk(call):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
                    yield file, part.value
    for name, text in texts().items():
        yield from ((name, part) for part in parts(text))


def parts(text: Text) -> list[str]:
    return [text.cause, text.mend, text.checked, *text.seen]


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def test_messages_use_words_that_a_beginner_knows() -> None:
    found = list(messages())
    assert len(found) > 200
    assert [message for message in found if NOT_SAID.search(message[1])] == []


def test_every_text_is_told_with_the_values_that_it_leaves_out() -> None:
    for file, call in calls():
        first = call.args[0] if call.args else None
        if not isinstance(first, ast.Constant) or not ast.unparse(call.func).endswith(TELLERS):
            continue
        text = texts()[first.value]
        fields = (name for part in parts(text) for _, name, *_ in FORMATTER.parse(part) if name)
        left_out = {re.split(r"\W", field)[0] for field in fields}
        assert left_out == {keyword.arg for keyword in call.keywords}, (file, call.lineno, first.value)
    named = {node.value for _, node in nodes() if isinstance(node, ast.Constant)}
    by_table = {name for name, text in texts().items() if text.error or text.flat or text.not_finite}
    assert set(texts()) - named - by_table == set()
    assert {text.when for text in texts().values()} == {"", *TESTS}
    assert {text.group for text in texts().values()} <= set(ORDER)


def test_an_answer_names_the_op_as_the_program_does() -> None:
    x = torch.zeros(3, requires_grad=True)
    y = torch.sqrt(x).sum()
    y.backward(retain_graph=True)
    assert "in `sqrt`" in str(explain.why_nan(x, y))


@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (lambda x: x.tanh(), "tanh: slope 1 - out², here 0.0707 to 0.786"),
        (lambda x: x.relu(), "relu: slope 1, and 0 where out ≤ 0, here 1"),
        (lambda x: x + 1, "add: slope 1, the covector goes on as it is"),
        (lambda x: x * x.detach(), "mul: for x slope y, here 0.5 to 2"),
        (lambda x: x[:1], "slice: moves elements to other places"),
        (lambda x: x.sum(), "sum: makes one number out of many: each of the many gets g"),
        (lambda x: x.reshape(1, 2) @ torch.ones(2, 2), "mm: multiplies two tensors: what goes back to one"),
    ],
    ids=["tanh", "relu", "add", "mul", "slice", "sum", "product"],
)  # fmt: skip
def test_each_step_is_told_in_a_sentence(write: object, sentence: str) -> None:
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    y = write(x)  # type: ignore[operator]  # a function of a tensor
    steps = explain(y, torch.ones_like(y)).steps
    assert any((step.says or "").startswith(sentence) for step in steps), [step.says for step in steps]
